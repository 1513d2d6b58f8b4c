import type { QuantizationPlan } from "../../src-main/contract/quantization.ts";

export function hasRoom({ predictedBytes, freeBytes }: QuantizationPlan): boolean {
  return freeBytes > predictedBytes;
}

/** Whether nothing is missing that a person has to give or to agree to. */
export function canBegin(
  plan: QuantizationPlan,
  agreed: { readonly allowsLoss: boolean; readonly replaces: boolean },
): boolean {
  if (!hasRoom(plan) || plan.needsImatrix) return false;
  return (agreed.allowsLoss || !plan.isLossySource) && (agreed.replaces || !plan.outputExists);
}
