import type { ToolCall } from '../../wire/types';
import { isUnderWay } from './tool_state';
import { Visible } from '../parts/visible';

/** How far a running call is, and what it does right now. */
export function Progress({ item }: { readonly item: ToolCall }) {
  const { progress, message, title } = item;
  if (!isUnderWay(item) || (progress === null && message === '')) {
    return null;
  }
  const percent = progress === null ? null : Math.round(Math.min(1, Math.max(0, progress)) * 100);
  return (
    <div class="acp-progress">
      {percent !== null && (
        <>
          <div
            class="acp-bar-of"
            role="progressbar"
            aria-label={title}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={percent}
          >
            <span style={{ inlineSize: `${percent}%` }} />
          </div>
          <span class="num" aria-hidden="true">
            {percent}%
          </span>
        </>
      )}
      <span class="cut" dir="auto" title={message}>
        <Visible text={message} strictness="controls" />
      </span>
    </div>
  );
}
