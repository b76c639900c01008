/** SVG drawings of 16 by 16, stroke 1.3 with round ends. */
export const DRAWINGS = {
  read: '<path d="M3.5 2.5H9l3.5 3.5v7.5h-9z"/><path d="M9 2.5V6h3.5M5.7 8.7h4.6M5.7 11.2h3"/>',
  edit: '<path d="M10.6 2.4l3 3L6 13H3v-3z"/><path d="M8.6 4.4l3 3"/>',
  delete: '<path d="M2.5 4.5h11M6 4.3V2.5h4v1.8M4 4.5l.6 9h6.8l.6-9M6.8 7.2v3.6M9.2 7.2v3.6"/>',
  move: '<path d="M2.5 4v8M5.5 8h8M10.2 4.7L13.5 8l-3.3 3.3"/>',
  search: '<circle cx="7" cy="7" r="4.3"/><path d="M10.2 10.2l3.3 3.3"/>',
  execute: '<path d="M5 3.2v9.6L12.8 8z"/>',
  previous: '<path d="M11.5 3.5L5.7 8l5.8 4.5zM4.3 3.5v9"/>',
  next: '<path d="M4.5 3.5L10.3 8l-5.8 4.5zM11.7 3.5v9"/>',
  pause: '<path d="M5.6 3.5v9M10.4 3.5v9"/>',
  share: '<path d="M8 9.5V2.3M5.2 5L8 2.3 10.8 5M4.5 7.2H3v6.3h10V7.2h-1.5"/>',
  think:
    '<path d="M8 1.9a4.1 4.1 0 0 0-2.3 7.5c.5.4.8.9.8 1.6h3c0-.7.3-1.2.8-1.6A4.1 4.1 0 0 0 8 1.9z"/><path d="M6.6 13.6h2.8"/>',
  fetch:
    '<circle cx="8" cy="8" r="5.7"/><path d="M2.3 8h11.4M8 2.3c1.7 1.6 2.5 3.6 2.5 5.7S9.7 12.1 8 13.7C6.3 12.1 5.5 10.1 5.5 8S6.3 3.9 8 2.3z"/>',
  switch_mode: '<path d="M2.5 5.3h10.5M10.3 2.6L13 5.3 10.3 8M13.5 10.7H3M5.7 8L3 10.7l2.7 2.7"/>',
  other:
    '<rect x="2.5" y="2.5" width="11" height="11" rx="2"/><path d="M5.4 8h.01M8 8h.01M10.6 8h.01" stroke-width="1.9"/>',
  plan: '<path d="M2.4 4.3l1.1 1.1 2-2.3M2.4 11.3l1.1 1.1 2-2.3M8 4.5h5.6M8 11.5h5.6"/>',
  terminal:
    '<rect x="1.9" y="2.9" width="12.2" height="10.2" rx="1.5"/><path d="M4.6 6l2 2-2 2M8.5 10.2h2.7"/>',
  agent: '<path d="M8 1.9l5.3 3.05v6.1L8 14.1l-5.3-3.05v-6.1z"/><circle cx="8" cy="8" r="1.8"/>',
  warning: '<path d="M8 2.3l6.2 11H1.8z"/><path d="M8 6.5v3.2M8 11.5h.01"/>',
  stop: '<rect x="4.2" y="4.2" width="7.6" height="7.6" rx="1" fill="currentColor"/>',
  send: '<path d="M8 13.2V3.2M3.9 7.3L8 3.2l4.1 4.1"/>',
  attach:
    '<path d="M12.9 7.4l-5 5a3 3 0 0 1-4.3-4.3l5.3-5.3a2 2 0 0 1 2.9 2.9l-5.2 5.2a1 1 0 0 1-1.5-1.5l4.7-4.6"/>',
  revert: '<path d="M3 6.5h6.7a3.5 3.5 0 0 1 0 7H6.5M5.9 3.5l-3 3 3 3"/>',
  keep: '<path d="M3 8.6l3.3 3.2L13 4.6"/>',
  keep_always: '<path d="M1.3 8.8l2.9 2.9 6-6.9M7.3 10.8l1 .9 6.2-6.9"/>',
  chevron: '<path d="M6 3.8L10.2 8 6 12.2"/>',
  close: '<path d="M4 4l8 8M12 4l-8 8"/>',
  plus: '<path d="M8 3.2v9.6M3.2 8h9.6"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8" rx="1"/><path d="M10.5 5.3V2.5h-8v8h2.8"/>',
  more: '<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.1"/>',
  pin: '<path d="M5.2 2.5h5.6M6.2 2.5v4.2L4 9.3h8L9.8 6.7V2.5M8 9.3v4.5"/>',
  left_out:
    '<path d="M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4z"/><circle cx="8" cy="8" r="1.7"/><path d="M3 13L13 3"/>',
  history: '<path d="M2.6 6.3A5.7 5.7 0 1 1 2.3 8M2.5 2.8v3.6h3.6M8 5v3.2l2.2 1.3"/>',
  cell: '<rect x="2" y="3.5" width="12" height="9" rx="1"/><path d="M5 3.5v9"/>',
  variable:
    '<path d="M4.7 2.8c-1.6 1.6-2.4 3.3-2.4 5.2s.8 3.6 2.4 5.2M11.3 2.8c1.6 1.6 2.4 3.3 2.4 5.2s-.8 3.6-2.4 5.2M6.2 6l3.6 4.2M9.8 6l-3.6 4.2"/>',
  folder: '<path d="M2 4.2V12.5h12V5.5H8L6.6 3.5H2z"/>',
  pending: '<circle cx="8" cy="8" r="4.3"/>',
  current:
    '<circle cx="8" cy="8" r="4.3"/><circle cx="8" cy="8" r="1.7" fill="currentColor" stroke="none"/>',
  lock: '<rect x="3.5" y="7" width="9" height="6.5" rx="1"/><path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2"/>',
  offline:
    '<path d="M2 6.2A9 9 0 0 1 8 4c2.3 0 4.4.8 6 2.2M4.3 8.7A5.6 5.6 0 0 1 8 7.3c1.4 0 2.7.5 3.7 1.4M8 11.8h.01M2.5 2.5l11 11"/>',
  image:
    '<rect x="2" y="3" width="12" height="10" rx="1"/><circle cx="5.6" cy="6.4" r="1"/><path d="M2.3 11.8L6.5 8.8l2.3 1.9 2.4-2.2 2.6 2.5"/>',
  open: '<path d="M9 2.8h4.2V7M13 3L7.5 8.5M11.5 9.5v3.7H2.8V4.5h3.7"/>',
  queue: '<path d="M2.5 4h11M2.5 8h7M2.5 12h7M12 9.5v4M10 11.5l2 2 2-2"/>',
  insert: '<path d="M2.5 2.8h11v4h-11zM8 9.2v4.6M5.7 11.5h4.6"/>',
  fold: '<path d="M8 1.8v4M5.9 3.9L8 6l2.1-2.1M8 14.2v-4M5.9 12.1L8 10l2.1 2.1M2.5 8h11"/>',
  file: '<path d="M3.5 2.5H9l3.5 3.5v7.5h-9z"/><path d="M9 2.5V6h3.5"/>',
  markdown:
    '<rect x="1.8" y="3.5" width="12.4" height="9" rx="1"/><path d="M4 10V6l2 2.2L8 6v4M11 6v3.8M9.6 8.5L11 10l1.4-1.5"/>',
  table: '<rect x="2" y="3" width="12" height="10" rx="1"/><path d="M2 6.3h12M2 9.6h12M6 6.3V13"/>',
  sheet: '<rect x="2" y="3" width="12" height="10" rx="1"/><path d="M6 5.6l4 4.8M10 5.6l-4 4.8"/>',
  slides:
    '<path d="M2 3h12M3 3v7h10V3M8 10v3M5.5 13.5L8 12l2.5 1.5M5.5 7.8V6.5M8 7.8V5.2M10.5 7.8V6"/>',
  pdf: '<path d="M3.5 2.5H9l3.5 3.5v7.5h-9z"/><path d="M9 2.5V6h3.5M5.8 11.5V7.6h1.4a1.2 1.2 0 0 1 0 2.4H5.8"/>',
  split: '<rect x="2" y="3" width="12" height="10" rx="1"/><path d="M8 3v10"/>',
  code: '<path d="M5.2 4.5L1.8 8l3.4 3.5M10.8 4.5L14.2 8l-3.4 3.5M9 3.5l-2 9"/>',
  cancelled: '<circle cx="8" cy="8" r="5.2"/><path d="M4.5 11.5l7-7"/>',
} as const;

export type IconName = keyof typeof DRAWINGS;
