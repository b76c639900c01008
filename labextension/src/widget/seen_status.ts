/** The part of a widget's model that is read and written here. */
export interface StatusModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/**
 * Writes each status of the turn back if the kernel has set the trait `seen_status`, which it does
 * in a host that runs cells again when the page changes a widget, such as marimo. All other traits
 * have changed by then.
 */
export function announceStatus(model: StatusModel): () => void {
  const look = () => {
    const status = model.get('status');
    const seen = model.get('seen_status');
    if (typeof seen === 'string' && status !== seen) {
      model.set('seen_status', status);
      model.save_changes();
    }
  };
  model.on('change:status', look);
  look();
  return () => model.off('change:status', look);
}
