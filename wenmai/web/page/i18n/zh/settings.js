// @ts-check
export default {
  title: '设置',
  version: '版本',
  mind: '由谁回答',
  model: '语言模型',
  offline: '离线推理',
  signOut: '退出密钥',
};
