// Sets the theme before anything is painted. "auto" follows the system, also when that changes. The
// cookie tells the server how to draw the figures of the next visit.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)")
  const root = document.documentElement
  const apply = () => {
    const chosen = root.dataset.chosenTheme
    const dark = chosen === "dark" || (chosen !== "light" && system.matches)
    root.dataset.theme = dark ? "dark" : "light"
    document.cookie = `dpascope-dark=${dark ? 1 : 0}; path=/; samesite=lax; max-age=31536000`
    root.dispatchEvent(new Event("themechange"))
  }
  const chosen = new URLSearchParams(location.search).get("theme")
  root.dataset.chosenTheme = chosen ?? "auto"
  system.addEventListener("change", apply)
  root.addEventListener("themechosen", apply)
  apply()
})()
