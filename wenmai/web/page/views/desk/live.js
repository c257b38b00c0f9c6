// @ts-check
/** What is known of a question on its way: each event of its stream makes the next state. Nothing here touches the page. */

/** @typedef {import('../../api/threads.js').AskedTurn} AskedTurn */
/** @typedef {import('../../api/threads.js').Citation} Citation */
/** @typedef {'understand' | 'plan' | 'search' | 'read' | 'draft' | 'check' | 'write' | 'remember'} Kind */
/** @typedef {{ kind: Kind, found: number }} Step */
/** @typedef {{ call: number, tool: string, args: Record<string, unknown>, ok: boolean | null, items: number, evidence?: string[] }} Call */
/** @typedef {{ text: string, reason: string }} Withdrawn */
/**
 * @typedef {object} Live
 * @property {string} question
 * @property {'running' | 'done' | 'stopped' | 'failed'} phase
 * @property {Step[]} steps
 * @property {Call[]} calls
 * @property {string} thoughts
 * @property {string} draft
 * @property {Withdrawn[]} withdrawn
 * @property {string} text  the checked answer, as far as it came
 * @property {Citation[] | null} citations
 * @property {AskedTurn | null} answer
 * @property {unknown} error
 * @property {number} began  in milliseconds
 * @property {number} ended
 * @property {import('../../store.js').Guard | null} guard  how far its reader was
 * @property {boolean} isUnguarded  whether its reader wanted what comes later
 */

/** @type {Record<string, Kind>} */
const KINDS = {
  resolve_pronouns: 'understand', plan: 'plan', tool_call: 'search', grade: 'check', answer: 'write', remember: 'remember',
};
const SILENT = 'stop'; // a call by which the agent ends its search

/**
 * Return the state of a question that was just sent.
 * @param {string} question
 * @param {number} began
 * @param {import('../../store.js').Guard | null} [guard]
 * @returns {Live}
 */
export const begun = (question, began, guard = null) => ({
  question, phase: 'running', steps: [], calls: [], thoughts: '', draft: '', withdrawn: [], text: '', citations: null,
  answer: null, error: null, began, ended: began, guard, isUnguarded: false,
});

/** @type {Record<string, (live: Live, data: any) => Partial<Live>>} */
const HEARD = {
  step: (live, { node }) => (KINDS[node] ? { steps: stepped(live.steps, KINDS[node]) } : {}),
  tool: (live, data) => (data.tool === SILENT ? {} : data.event === 'tool_start' ? started(live, data) : ended(live, data)),
  reading: (live) => ({ steps: reading(live.steps) }),
  thought: (live, { text }) => ({ thoughts: live.thoughts + text }),
  draft: (live, { text }) => ({ draft: live.draft + text, steps: drafting(live.steps) }),
  reset: (live, { text }) => (live.draft ? { draft: '', withdrawn: [...live.withdrawn, { text: live.draft, reason: text }] } : {}),
  text: (live, { text }) => ({ text: live.text + text }),
  citations: (_live, { citations }) => ({ citations }),
  answer: (_live, answer) => ({ answer, text: answer.answer, citations: answer.citations, phase: 'done' }),
};

/**
 * Return the state after an event.
 * @param {Live} live
 * @param {import('../../api/events.js').ServerEvent} event
 * @returns {Live}
 */
export const heard = (live, { name, data }) => (Object.hasOwn(HEARD, name) ? { ...live, ...HEARD[name](live, data) } : live);

/** @param {Step[]} steps @param {Kind} kind */
const stepped = (steps, kind) => (steps.at(-1)?.kind === kind ? steps : [...steps, { kind, found: 0 }]);

/** Planning turned out to be reading. @param {Step[]} steps */
const reading = (steps) => (steps.at(-1)?.kind === 'plan' ? stepped(steps.slice(0, -1), 'read') : steps);

/** Planning, or reading, turned out to be writing. @param {Step[]} steps */
const drafting = (steps) => (['plan', 'read'].includes(steps.at(-1)?.kind ?? '') ? stepped(steps.slice(0, -1), 'draft') : steps);

/** @param {Live} live @param {{ call: number, tool: string, args: Record<string, unknown> }} data */
const started = (live, { call, tool, args }) => ({ calls: [...live.calls, { call, tool, args, ok: null, items: 0 }] });

/** @param {Live} live @param {{ call: number, ok: boolean, items: number }} data */
const ended = (live, { call, ok, items }) => ({
  calls: live.calls.map((one) => (one.call === call ? { ...one, ok, items } : one)),
  steps: live.steps.map((one, index) => (index === live.steps.length - 1 ? { ...one, found: one.found + items } : one)),
});

/**
 * Return what stands in the place of the answer: the draft until the checked text is as long, so that nothing shrinks.
 * @param {Pick<Live, 'text' | 'draft' | 'answer' | 'citations'>} live
 */
export const shownText = ({ text, draft, answer, citations }) =>
  answer || citations || text.length >= draft.length ? { text, isDraft: false } : { text: draft, isDraft: true };

/**
 * Return the calls of a turn that is kept, without those that only end the search.
 * @param {readonly Record<string, any>[]} calls
 * @returns {Call[]}
 */
export const callsOf = (calls) =>
  calls.filter((one) => one.tool !== SILENT).map(({ call, tool, args, ok, items, evidence = [] }) => ({ call, tool, args, ok, items, evidence }));

/**
 * Return the turns that are shown: what was not answered is left out once it is asked again.
 * @template {{ question: string, answer: string }} T
 * @param {readonly T[]} turns
 * @param {string | null} asked  the question on its way
 */
export const shownTurns = (turns, asked) =>
  turns.filter((one, index) => one.answer !== '' || (one.question !== asked && turns[index + 1]?.question !== one.question));
