import { ref } from "vue";
import { useRouter } from "vue-router";
import { uploadImport } from "@/api/imports";

/** Files on their way to the server; when it has read them, their preview is shown. */
export function useUpload() {
  const router = useRouter();
  const share = ref<number | null>(null); // null: nothing is being uploaded
  const problem = ref<unknown>(null);

  async function upload(files: File[]): Promise<void> {
    if (share.value !== null || !files.length) return;
    problem.value = null;
    share.value = 0;
    try {
      const made = await uploadImport(files, (now) => {
        share.value = now;
      });
      await router.push({ name: "import", params: { importId: made.id } });
    } catch (error) {
      problem.value = error;
    } finally {
      share.value = null;
    }
  }
  return { share, problem, upload };
}
