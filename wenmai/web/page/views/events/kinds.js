// @ts-check
/** The kinds of happenings: words, forms and colours. A form belongs to a kind, so that colour is never alone. */
import { t } from '../../i18n/index.js';

const FORMS = {
  encounter: 'M0 -6A6 6 0 1 1 0 6A6 6 0 1 1 0 -6Z',
  conflict: 'M-6 -3L-3 -6L0 -3L3 -6L6 -3L3 0L6 3L3 6L0 3L-3 6L-6 3L-3 0Z',
  loss: 'M-6 -5H6L0 6Z',
  sacrifice: 'M-2 -7H2V-3H6V1H2V7H-2V1H-6V-3H-2Z',
  revelation: 'M0 -7L1.800 -1.800L7 0L1.800 1.800L0 7L-1.800 1.800L-7 0L-1.800 -1.800Z',
  transformation: 'M-3.500 -6H3.500L7 0L3.500 6H-3.500L-7 0Z',
  acquisition: 'M0 -6L6 5H-6Z',
  milestone: 'M0 -7L6 0L0 7L-6 0Z',
  journey: 'M-5 -5H5V5H-5Z',
};
export const KINDS = /** @type {(keyof typeof FORMS)[]} */ (Object.keys(FORMS));

/** @param {string} kind @returns {kind is keyof typeof FORMS} */
const isKind = (kind) => Object.hasOwn(FORMS, kind);

/** @param {string} kind */
export const formOf = (kind) => FORMS[isKind(kind) ? kind : 'encounter'];
/** @param {string} kind */
export const classOf = (kind) => `events-mark is-${isKind(kind) ? kind : 'encounter'}`;
/** @param {string} kind */
export const kindText = (kind) => (isKind(kind) ? t(`events.kind_${kind}`) : kind);
