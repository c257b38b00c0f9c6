// @ts-check
import { useEffect, useState } from '../../lib.js';
import { printing } from '../../parts/printing.js';
import { useSignal } from '../../signals.js';

const AHEAD = '1500px 0px';

/**
 * Return whether an element has come near to what is seen, since when everything of it is drawn; printed all are.
 * @param {{ current: Element | null }} element
 * @param {boolean} isAtOnce
 */
export function useNear(element, isAtOnce) {
  const [isNear, setNear] = useState(isAtOnce);
  const isPrinted = useSignal(printing);
  useEffect(() => {
    if (isNear || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setNear(true),
      { root: element.current.closest('.desk-talk'), rootMargin: AHEAD });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear || isPrinted;
}
