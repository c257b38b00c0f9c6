// @ts-check
export default {
  title: '事件',
  empty: '这里还没有事件',
};
