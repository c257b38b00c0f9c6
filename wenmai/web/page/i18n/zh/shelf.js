// @ts-check
export default {
  title: '书架',
  empty: '书架还是空的',
  emptyHint: '用 wenmai ingest 放进第一本书。',
  chapters: '{n} 章',
  open: '打开',
};
