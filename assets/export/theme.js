// Sets the theme before anything is painted: what the address asks for, else what the file was
// made with. "auto" follows the system, also when that changes.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)")
  const root = document.documentElement
  const apply = () => {
    const chosen = root.dataset.chosenTheme
    const dark = chosen === "dark" || (chosen !== "light" && system.matches)
    root.dataset.theme = dark ? "dark" : "light"
    root.dispatchEvent(new Event("themechange"))
  }
  const asked = new URLSearchParams(location.hash.slice(1)).get("theme")
  if (["auto", "light", "dark"].includes(asked)) root.dataset.chosenTheme = asked
  if (window.parent !== window) root.dataset.embedded = ""
  system.addEventListener("change", apply)
  root.addEventListener("themechosen", apply)
  apply()
})()
