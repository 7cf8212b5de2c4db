// The theme that the reader chose in the dashboard, before anything is painted.
try {
  const theme = localStorage.getItem('tintype theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing: as the system has it.
}
