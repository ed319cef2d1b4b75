import { computed } from "vue";
import { useHealth, useSession } from "./useSession";

/** Which operator features this server offers to this user. */
export function useOperator() {
  const { me } = useSession();
  const { health } = useHealth();
  const may = (part: "feeds_api" | "operator_config_api" | "jobs_api") =>
    computed(() => me.value?.operator === true && health.value?.[part] === true);
  return { hasFeeds: may("feeds_api"), hasConfig: may("operator_config_api"), hasJobs: may("jobs_api") };
}
