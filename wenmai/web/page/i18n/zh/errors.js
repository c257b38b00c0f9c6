// @ts-check
export default {
  page: '页面出错：{reason}。请重新载入。',
  unreachable: '连不上服务器：请确认 wenmai serve 正在运行，页面会自动重连。',
  key: '需要有效的 API 密钥。',
  forbidden: '你的密钥没有这个权限：请联系管理员。',
  missing: '没有找到：可能已被删除，或在防剧透范围之外。',
  busy: '正被占用，请稍后重试。',
  large: '文件或请求太大。',
  often: '请求过于频繁，请稍等再试。',
  input: '输入有误，请修改后重试。',
  server: '服务器暂时不能回答，请稍后重试。',
};
