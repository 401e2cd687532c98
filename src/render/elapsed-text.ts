/** `2s`, `1m10s`, `1h0m5s`: whole seconds as Terraform writes them. */
export function elapsedText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const tail = `${whole % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${tail}`;
  return minutes > 0 ? `${minutes}m${tail}` : tail;
}
