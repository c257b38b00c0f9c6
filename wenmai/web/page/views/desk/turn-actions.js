// @ts-check
/** What can be done with an answer that is seen: copy it whole, ask its question again as it is or changed. */
import * as threads from '../../api/threads.js';
import { errorText } from '../../api/problems.js';
import { t } from '../../i18n/index.js';
import { html } from '../../lib.js';
import { copy } from '../../parts/copy.js';
import { Icon } from '../../parts/icon.js';
import { plainText } from '../../parts/markdown.js';
import { Menu } from '../../parts/menu.js';
import { toast } from '../../parts/toast.js';

const MARKS = /\s?\[\d{1,3}\]/g;

/** An answer as plain text, without markup and without the numbers of its citations. @param {string} answer */
export const wordsOf = (answer) => plainText(answer).replace(MARKS, '').trim();

/**
 * @param {{ thread: string, turn: threads.Turn, onAsk: (question: string) => void, onEdit: (question: string) => void }} props
 */
export function TurnActions({ thread, turn, onAsk, onEdit }) {
  const { number, question } = turn;
  /** @param {() => string | Promise<string>} read */
  const take = async (read) => {
    try {
      await copy(await read());
      toast(t('parts.copied'));
    } catch (failure) {
      toast(failure instanceof Error && failure.message === 'copy' ? t('parts.notCopied') : errorText(failure));
    }
  };
  const items = [
    { label: t('desk.copyText'), onSelect: () => void take(() => wordsOf(turn.answer)) },
    ...(number ? [{ label: t('desk.copyMarkdown'), onSelect: () => void take(async () => (await threads.markdown(thread, null, number)).text()) }] : []),
  ];
  return html`<div class="desk-actions">
    <${Menu} label=${t('desk.copy')} icon="copy" items=${items} />
    <button type="button" class="icon-button" aria-label=${t('desk.editQuestion')} title=${t('desk.editQuestion')} onClick=${() => onEdit(question)}><${Icon} name="edit" /></button>
    <button type="button" class="icon-button" aria-label=${t('desk.again')} title=${t('desk.again')} onClick=${() => onAsk(question)}><${Icon} name="again" /></button>
  </div>`;
}
