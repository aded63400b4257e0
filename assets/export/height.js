// Inside of another page: tells it how high the content is, so that its frame can be as high.

// Measures what is in the root, never the body, which grows with its frame.
function contentHeight(root) {
  const bottoms = [...root.children].map(child => child.getBoundingClientRect().bottom)
  const {paddingBottom} = getComputedStyle(root)
  const top = root.getBoundingClientRect().top
  return Math.ceil(Math.max(0, ...bottoms) - top + parseFloat(paddingBottom))
}

function tellHeight(root) {
  if (window.parent === window) return
  let told = 0
  const tell = () => {
    const height = contentHeight(root)
    if (height === told) return
    told = height
    window.parent.postMessage({dpascope: "height", height}, "*")
  }
  // A frame that fits needs no scrollbar, whose coming and going would change the height.
  addEventListener("message", ({source, data}) => {
    if (source === window.parent && data?.dpascope === "fitted") {
      document.documentElement.style.overflowY = "hidden"
    }
  })
  const observer = new ResizeObserver(tell)
  for (const child of root.children) observer.observe(child)
  tell()
}
