import { z } from "zod";

const tensorRowSchema = z.object({
  /** ggml's number of the type. */
  type: z.int().nonnegative(),
  /** Bytes of one token. */
  rowBytes: z.int().positive().multipleOf(2),
});
export type TensorRow = z.infer<typeof tensorRowSchema>;

export const rowLayoutSchema = z.object({
  /** 12 where cells carry more than a position (M-RoPE, embeddings by layer), else 0. */
  extensionBytes: z.literal([0, 12]),
  keys: z.array(tensorRowSchema).min(1),
  /** Empty where there are none (MLA). */
  values: z.array(tensorRowSchema),
});

/**
 * What a token's cell holds. A block of tokens is the rows of one tensor after another: extensions, keys by layer, values
 * by layer. So the beginning of a block's tensor is that of any shorter block.
 */
export type RowLayout = z.infer<typeof rowLayoutSchema>;

/** Bytes of each tensor's row, in the order of a block. */
export function rowSizes({ extensionBytes, keys, values }: RowLayout): number[] {
  const tensors = [...keys, ...values].map(({ rowBytes }) => rowBytes);
  return extensionBytes === 0 ? tensors : [extensionBytes, ...tensors];
}

/** Bytes that one token takes in a block. */
export function bytesPerToken(layout: RowLayout): number {
  return rowSizes(layout).reduce((sum, bytes) => sum + bytes, 0);
}
