// Line icons on a 20-unit grid, drawn for these pages. Screen readers skip them and read the text next to them.
const shapes = {
  overview: 'M3 10.5 10 4l7 6.500M5 9v7.500h10V9',
  uploads: 'M3.500 4.500h13v11h-13zM3.500 13l3.700-3.500 3 2.800 2.500-2.300 3.800 3.500M12.500 7.500h.01',
  albums:
    'M3.500 7h10v9.500h-10zM6 7V4.500h10.500V14H13.500M3.500 14l3-2.800 2.500 2.300 1.500-1.300 3 2.800',
  renders: 'M3 4.500h14v11H3zM3 7.500h14M5.300 6h.01M7.300 6h.01',
  playground: 'M6.500 4.500v11l9-5.500z',
  keys: 'M8.300 11.700 16 4M13.500 6.500l2 2M11.500 8.500l1.500 1.500M8.800 13.500a2.800 2.800 0 1 1-5.600 0 2.800 2.800 0 0 1 5.600 0z',
  integrations: 'M7.500 3.500v4M12.500 3.500v4M5.500 7.500h9v2.500a4.500 4.500 0 0 1-9 0zM10 14.500v2.500',
  requests: 'M4 5.500h12M4 10h12M4 14.500h7',
  usage: 'M4 16V11M10 16V4M16 16V8',
  settings:
    'M4 6.500h6M14 6.500h2M4 13.500h2M10 13.500h6M10 6.500a2 2 0 1 0 4 0 2 2 0 1 0-4 0M6 13.500a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  accounts:
    'M10.500 7a2.700 2.700 0 1 1-5.400 0 2.700 2.700 0 0 1 5.400 0zM2.800 16c.4-3 2.300-4.500 5-4.500s4.600 1.500 5 4.500M13 4.600a2.700 2.700 0 0 1 0 4.800M15 12.200c1.300.7 2 2 2.200 3.800',
  plans: 'M10 3.500 17 7l-7 3.500L3 7zM3 10.300l7 3.500 7-3.500M3 13.500 10 17l7-3.500',
  links:
    'M8.500 11.500a3 3 0 0 0 4.300 0l2.700-2.700a3 3 0 0 0-4.300-4.300l-1 1M11.500 8.500a3 3 0 0 0-4.300 0l-2.700 2.700a3 3 0 0 0 4.300 4.300l1-1',
  webhooks: 'M3.500 10h6.500M7.500 7.500l2.500 2.500-2.500 2.500M12.500 4.500h4v11h-4',
  overages: 'M4 16l4.500-5 3 2.500L16.500 6M12.500 6h4v4',
  health: 'M3 10.500h3l2-5 3.500 9 2-4H17',
  audit: 'M5.500 3.500h9v13h-9zM8 7.500h4M8 10.500h4M8 13.500h2',
  copy: 'M7.500 7.500h8.500v8.500H7.500zM12.500 7.500V4H4v8.500h3.500',
  check: 'M4.500 10.500 8.500 14.500 15.500 6',
  cross: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4.500v11M4.500 10h11',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.8 10h7.400l.8-10M8.500 9v4.500M11.500 9v4.500',
  clock: 'M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0zM10 6v4.300l2.800 1.700',
  search: 'M13.500 8.700a4.800 4.800 0 1 1-9.600 0 4.800 4.800 0 0 1 9.600 0zM12.300 12.300 16.500 16.500',
  menu: 'M3.500 6h13M3.500 10h13M3.500 14h13',
  out: 'M8 4H4v12h4M8 10h8.500M13.500 7l3 3-3 3',
  open: 'M8.500 5H5v10h10v-3.500M11.500 4H16v4.500M15.700 4.300 9.500 10.500',
  download: 'M10 3.500v9M6.500 9.300 10 12.700l3.500-3.400M4 16.500h12',
  upload: 'M10 13V4M6.500 7.300 10 3.800l3.500 3.500M4 16.500h12',
  warning: 'M10 3.500 17.500 16.500h-15zM10 8.500v3.500M10 14.300h.01',
  refresh: 'M15.500 8A6 6 0 1 0 16 11.500M16 4v4h-4',
  edit: 'M4 16l.8-3.500L13 4.300l2.700 2.700-8.200 8.200zM11.300 6l2.700 2.700',
  right: 'M8 5l5 5-5 5',
  passkey:
    'M11 7.500a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM2.800 16c.4-2.700 2.200-4 5.200-4 .8 0 1.500.1 2.100.3M15.500 9a2 2 0 0 1 .7 3.900v3.600l-.7.700-.7-.700v-3.600a2 2 0 0 1 .7-3.900z',
  page: 'M5.500 3.500h6l3 3v10h-9zM11.500 3.500v3h3',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg
      className={`shrink-0 ${className}`}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}

/** The service's mark: a portrait on a plate. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg className={`shrink-0 ${className}`} viewBox="0 0 32 32" aria-hidden="true">
      <rect x="3" y="3" width="26" height="26" rx="5" fill="#2b2622" stroke="#5b5047" strokeWidth="1" />
      <rect x="6.500" y="6.500" width="19" height="19" rx="2" fill="#cdbfae" />
      <circle cx="16" cy="13.2" r="3.7" fill="#4b4038" />
      <path d="M8.500 25.500c.6-5 3.600-7.300 7.500-7.300s6.900 2.300 7.500 7.300z" fill="#4b4038" />
    </svg>
  );
}
