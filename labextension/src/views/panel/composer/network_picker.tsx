import type { Network } from '../../../wire/sandbox';
import { NETWORKS } from '../../../wire/sandbox';
import type { Translate } from '../../i18n';
import { NETWORK_SENTENCES } from '../../sandbox/sandbox_texts';
import { Picker } from './picker';
import type { Choice } from './picker';

const NAMES: Record<Network, string> = {
  all: 'All',
  hosts: 'Named hosts',
  none: 'None',
};

/** A choice that leaves the network of a new session to the server. */
const DEFAULT = 'default';

interface NetworkPickerProps {
  /** That of the session, or of the one to start; `null` leaves it to the server. */
  readonly network: Network | null;
  /** Whether it can be left to the server. */
  readonly isNew: boolean;
  /** From when on another one counts. */
  readonly note: string;
  readonly t: Translate;
  readonly onChoose: (network: Network | null) => void;
}

/** What an agent in a sandbox reaches of the network. */
export function NetworkPicker({ network, isNew, note, t, onChoose }: NetworkPickerProps) {
  const choices: Choice[] = NETWORKS.map(value => ({
    value,
    name: t(NAMES[value]),
    description: t(NETWORK_SENTENCES[value]),
  }));
  if (isNew) {
    const description = t('As configured for the server and the agent.');
    choices.unshift({ value: DEFAULT, name: t('Default'), description });
  }
  return (
    <Picker
      label={t('Network')}
      named
      value={network ?? DEFAULT}
      choices={choices}
      note={note}
      onChoose={chosen => onChoose(NETWORKS.find(each => each === chosen) ?? null)}
    />
  );
}
