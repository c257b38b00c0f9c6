// @ts-check
export default {
  title: '记忆',
  empty: '还没有记住什么',
};
