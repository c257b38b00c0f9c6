// @ts-check
export default {
  title: '查找',
  words: '查找文字、人物、事件、会话……',
  inBook: '在《{title}》和关于它的会话里查找；简体、繁体、标点和空格不计。',
  inGuarded: '在《{title}》你读到的部分和关于它的会话里查找；简体、繁体、标点和空格不计。',
  inTalks: '在你的会话里查找。打开一本书，就能查找正文。',
  text: '正文',
  people: '人物与地点',
  events: '事件',
  talks: '会话',
  more: '再显示一些（还有 {n} 处）',
  nearest: '最接近的段落',
  nearestHint: '没有一字不差的原文，这些段落的意思或用词最接近。',
  remembering: '没有一字不差的原文，正在找最接近的段落……',
  noText: '正文里没有。',
};
