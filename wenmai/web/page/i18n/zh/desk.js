// @ts-check
export default {
  title: '书桌',
  threads: '会话',
  question: '你的问题',
  ask: '提问',
  stop: '停止',
  newThread: '新会话',
  empty: '问一问这本书',
};
