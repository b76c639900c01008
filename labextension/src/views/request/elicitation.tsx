import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { isRecord, text } from '../../wire/read';
import type { Elicitation } from '../../wire/types';
import type { Actions, Answer } from '../actions';
import { plural } from '../i18n';
import { messageOf } from '../parts/buttons';
import { addressOf } from '../parts/files';
import { Icon } from '../parts/icons';
import { isHeld, isTextField, OWN_KEYS, targetOf } from '../parts/keyboard';
import { Visible } from '../parts/odd_characters';
import { useScene, useValue } from '../scene';
import { byWhom, WaitsFor } from './answered_by';
import { QuestionField } from './elicitation_field';
import { contentOf, problemsOf, valuesOf } from './elicitation_values';
import type { Problems } from './elicitation_values';
import { useAnswerable } from './answerable';
import { bringIntoView } from './in_view';

/** A question of the agent: waiting for an answer, or answered. */
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

/** The agent's texts, as plain text. */
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

interface CardProps {
  readonly item: Elicitation;
  readonly answer: NonNullable<Actions['answerElicitation']>;
}

/** A question that waits. Nothing is sent or fetched before a button is pressed. */
export function QuestionCard({ item, answer }: CardProps) {
  const { store, askedBelow, t, announce } = useScene();
  const [answering, setAnswering] = useState(false);
  const [failure, setFailure] = useState('');
  const [problems, setProblems] = useState<Problems>({});

  const card = useRef<HTMLDivElement>(null);
  const answerable = useAnswerable(card, item.request_id);
  useLayoutEffect(() => {
    if (card.current !== null) {
      bringIntoView(card.current);
    }
    announce(`${item.title}. ${item.message}`, 'assertive');
  }, [item.request_id]);

  const send = (given: Answer) => {
    if (!answerable) {
      return;
    }
    setAnswering(true);
    setFailure('');
    setProblems({});
    answer(store.sessionId, item.request_id, given).catch((error: unknown) => {
      setAnswering(false);
      const fields = fieldsOf(error);
      setProblems(fields);
      setFailure(Object.keys(fields).length > 0 ? '' : messageOf(error));
    });
  };
  const waitsFor = store.waitsFor(item.turn_id);
  const Body = item.mode === 'url' ? Page : Form;
  return (
    <div
      class="acp-question"
      role="group"
      aria-label={item.title}
      aria-busy={answering}
      data-request={item.request_id}
      {...OWN_KEYS}
      tabIndex={-1}
      ref={card}
    >
      <header role="presentation">
        <Icon name="warning" />
        <b class="grow" dir="auto">
          <Visible text={item.title} />
        </b>
      </header>
      <Body
        item={item}
        answering={answering}
        disabled={answering || !answerable || waitsFor !== '' || askedBelow === true}
        problems={problems}
        onProblems={setProblems}
        send={send}
        t={t}
      >
        <WaitsFor person={waitsFor} />
        {failure !== '' && (
          <p class="acp-failure err" role="alert">
            {failure}
          </p>
        )}
      </Body>
    </div>
  );
}

interface BodyProps {
  readonly item: Elicitation;
  readonly answering: boolean;
  readonly disabled: boolean;
  readonly problems: Problems;
  readonly onProblems: (problems: Problems) => void;
  readonly send: (answer: Answer) => void;
  readonly t: ReturnType<typeof useScene>['t'];
  readonly children: ComponentChildren;
}

function Form({ item, answering, disabled, problems, onProblems, send, t, children }: BodyProps) {
  // It outlives the element: a notebook may draw its outputs again.
  const [draft, setDraft] = useValue(`question ${item.request_id}`);
  const values = valuesOf(item.fields, draft);
  const wrong = Object.keys(problems).length;
  const submit = () => {
    const found = problemsOf(item.fields, values, t);
    if (Object.keys(found).length > 0) {
      onProblems(found);
      return;
    }
    send({ action: 'accept', content: contentOf(item.fields, values) });
  };
  return (
    <form
      noValidate
      // Any script can submit a form, so only the user's key counts.
      onSubmit={event => event.preventDefault()}
      onKeyDown={event => {
        // If there are several fields, others may be out of view.
        if (event.key === 'Enter' && isTextField(targetOf(event)) && item.fields.length < 2) {
          event.preventDefault();
          if (!isHeld(event) && !disabled) {
            submit();
          }
        }
      }}
    >
      <div class="what">
        <QuestionText item={item} />
        {item.fields.map(field => (
          <QuestionField
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={problems[field.name] ?? ''}
            disabled={disabled}
            onChange={value => setDraft(JSON.stringify({ ...values, [field.name]: value }))}
          />
        ))}
        {wrong > 0 && (
          <p class="err" role="status">
            {plural(t, wrong, '1 answer does not fit.', '%1 answers do not fit.')}
          </p>
        )}
      </div>
      {children}
      <div class="acp-opts">
        <button
          {...OWN_KEYS}
          type="button"
          class="btn primary"
          disabled={disabled}
          onClick={submit}
        >
          {t('Submit')}
        </button>
        <OtherButtons {...{ answering, disabled, send, t }} />
      </div>
    </form>
  );
}

function Page({ item, answering, disabled, send, t, children }: BodyProps) {
  const address = addressOf(item.url, '');
  const open = () => {
    if (address !== null) {
      window.open(address.href, '_blank', 'noopener,noreferrer');
      send({ action: 'accept', content: {} });
    }
  };
  return (
    <>
      <div class="what">
        <QuestionText item={item} />
        <p>
          {t('This page opens outside Jupyter, at')} <b dir="ltr">{item.host}</b>
        </p>
        <div class="acp-code">
          <pre
            {...OWN_KEYS}
            class="wrap"
            tabIndex={0}
            role="group"
            aria-label={t('Address')}
            dir="ltr"
          >
            <Visible text={item.url} strictness="lookalikes" />
          </pre>
        </div>
      </div>
      {children}
      <div class="acp-opts">
        <button
          {...OWN_KEYS}
          type="button"
          class="btn primary"
          disabled={disabled || address === null}
          onClick={open}
        >
          {t('Open link')}
        </button>
        <OtherButtons {...{ answering, disabled, send, t }} />
      </div>
    </>
  );
}

type OtherButtonsProps = Pick<BodyProps, 'answering' | 'disabled' | 'send' | 't'>;

function OtherButtons({ answering, disabled, send, t }: OtherButtonsProps) {
  const button = (action: 'decline' | 'cancel', words: string) => (
    <button
      {...OWN_KEYS}
      type="button"
      class="btn"
      disabled={disabled}
      onClick={() => send({ action, content: {} })}
    >
      {words}
    </button>
  );
  return (
    <>
      {button('decline', t('Decline'))}
      {button('cancel', t('Cancel'))}
      {answering && <span class="spin" aria-hidden="true" />}
    </>
  );
}

/** The server's message for each field. */
function fieldsOf(error: unknown): Problems {
  const fields: unknown = error instanceof Error ? Reflect.get(error, 'fields') : undefined;
  return isRecord(fields)
    ? Object.fromEntries(Object.keys(fields).map(name => [name, text(fields, name)]))
    : {};
}
