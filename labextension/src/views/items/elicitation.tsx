import type { Elicitation } from '../../wire/types';
import { byWhom } from '../parts/by_whom';
import { Icon } from '../parts/icons';
import { useScene } from '../parts/scene';
import { Visible } from '../parts/visible';
import { QuestionCard } from './elicitation_card';

/** A question of the agent: asked, or with what became of it. */
export function Question({ item }: { readonly item: Elicitation }) {
  const { actions } = useScene();
  const answer = actions?.answerElicitation;
  return item.state === 'pending' && answer !== undefined ? (
    <QuestionCard key={item.request_id} item={item} answer={answer} />
  ) : (
    <Answered item={item} />
  );
}

function Answered({ item }: { readonly item: Elicitation }) {
  const { t } = useScene();
  return (
    <div class="acp-question" role="group" aria-label={item.title} data-state={item.state}>
      <header role="presentation">
        <Icon name="warning" />
        <b class="grow" dir="auto">
          {item.title}
        </b>
        <span class="muted">
          {item.outcome === '' ? t('Waiting for an answer') : byWhom(item, t)}
        </span>
      </header>
      <div class="what">
        <QuestionText item={item} />
        {item.answers.length > 0 && (
          <dl>
            {item.answers.map(({ name, label, text }) => [
              <dt key={`${name} label`} dir="auto">
                {label}
              </dt>,
              <dd key={`${name} text`} dir="auto">
                <Visible text={text} />
              </dd>,
            ])}
          </dl>
        )}
      </div>
    </div>
  );
}

/** The agent's own words, as plain text. */
export function QuestionText({ item }: { readonly item: Elicitation }) {
  return (
    <>
      {[item.heading, item.message, item.description]
        .filter((words, index, all) => words !== '' && all.indexOf(words) === index)
        .map(words => (
          <p key={words} class="said" dir="auto">
            <Visible text={words} />
          </p>
        ))}
    </>
  );
}
