export { mountVariants } from './variants';

export type { VariantOfPrompt, VariantsProps } from './variants';
