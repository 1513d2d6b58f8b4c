import type { Attachment } from "svelte/attachments";

/** Calls once the element is in sight, or about to be; at once where that cannot be told. */
export function whenSeen(onSeen: () => void): Attachment {
  return (element) => {
    if (typeof IntersectionObserver === "undefined") {
      onSeen();
      return;
    }
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onSeen();
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  };
}
