// @ts-check
export default {
  title: '人物',
  empty: '这里还没有人物',
  mentions: '出现 {n} 次',
};
