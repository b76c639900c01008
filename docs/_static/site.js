// The theme leaves the toggles of its navigation without a name.
for (const summary of document.querySelectorAll('.bd-sidebar-primary summary')) {
  const page = summary.parentElement.previousElementSibling?.textContent.trim() ?? '';
  summary.setAttribute('aria-label', `Pages of ${page}`);
}
