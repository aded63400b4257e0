// On a phone the settings start closed, so that the picture is in sight.
if (matchMedia("(max-width: 860px)").matches) {
  document.querySelector(".page-settings details").open = false
}
