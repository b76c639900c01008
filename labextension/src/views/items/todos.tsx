import type { TodoItem, ToolCall } from '../../wire/types';
import { Disclosure } from '../parts/disclosure';
import { useScene } from '../parts/scene';
import { Output } from './output';
import { Checklist, StepsLine, type Step } from './steps';

/** More todos than this start as one line. */
const MAX_OPEN_TODOS = 12;

interface TodoListProps {
  readonly item: ToolCall;
  readonly todos: readonly TodoItem[];
  /** Whether it is the turn's newest list; older ones are one line. */
  readonly newest: boolean;
}

/** A todo list in place of its tool card; each update replaces it whole. */
export function TodoList({ item, todos, newest }: TodoListProps) {
  const { t } = useScene();
  const steps = todos.map(stepOf);
  const failed = item.status === 'failed';
  return (
    <Disclosure
      id={item.id}
      standard={newest && todos.length <= MAX_OPEN_TODOS}
      class="acp-plan acp-todos"
      attributes={{
        role: 'group',
        'aria-label': item.title,
        'data-status': item.status,
        'data-item': item.id,
      }}
      line={
        <>
          <StepsLine title={item.title} steps={steps} />
          {failed && <span class="m err">{t('failed')}</span>}
        </>
      }
      body={() => (
        <>
          <Checklist title={t('Todos')} steps={steps} />
          {failed && item.output !== '' && (
            <div class="acp-code">
              <Output item={item} />
            </div>
          )}
        </>
      )}
    />
  );
}

function stepOf({ content, active_form: active, status }: TodoItem): Step {
  return { words: status === 'in_progress' && active !== '' ? active : content, status };
}
