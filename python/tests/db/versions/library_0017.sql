SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.count_on_shelf() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    fold boolean := random() < 0.02;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, count(*) FROM later
        GROUP BY library_id, kind, status, read_at IS NOT NULL;
    ELSIF TG_OP = 'DELETE' THEN
        -- Not for a library that is going itself.
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, -count(*) FROM earlier
        WHERE EXISTS (SELECT FROM libraries WHERE libraries.id = earlier.library_id)
        GROUP BY library_id, kind, status, read_at IS NOT NULL;
        RETURN NULL;
    ELSE
        INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
        SELECT library_id, kind, status, is_read, sum(one) FROM (
            SELECT library_id, kind, status, read_at IS NOT NULL AS is_read, 1 AS one FROM later
            UNION ALL SELECT library_id, kind, status, read_at IS NOT NULL, -1 FROM earlier
        ) AS moved GROUP BY library_id, kind, status, is_read HAVING sum(one) <> 0;
    END IF;
    IF fold THEN
        PERFORM fold_shelf_counts(library_id) FROM (SELECT DISTINCT library_id FROM later LIMIT 20) AS shelves;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.drop_media_of_fetch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM media WHERE id = OLD.media_id AND processing_status <> 'ready_for_reading';
    RETURN NULL;
END $$;
CREATE FUNCTION public.fold_shelf_counts(shelf uuid) RETURNS void
    LANGUAGE sql
    AS $$
    WITH taken AS (
        DELETE FROM shelf_counts WHERE id = ANY (ARRAY(
            SELECT id FROM shelf_counts WHERE library_id = shelf LIMIT 5000 FOR UPDATE SKIP LOCKED))
        RETURNING kind, status, is_read, difference
    )
    INSERT INTO shelf_counts (library_id, kind, status, is_read, difference)
    SELECT shelf, kind, status, is_read, sum(difference) FROM taken
    GROUP BY kind, status, is_read HAVING sum(difference) <> 0
$$;
CREATE FUNCTION public.follow_changed_items() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(touched.media_id), array_agg(touched.user_id))
    FROM later JOIN earlier USING (id)
    CROSS JOIN LATERAL (VALUES (later.media_id, later.user_id), (earlier.media_id, earlier.user_id))
        AS touched(media_id, user_id)
    WHERE (later.status, later.media_id) IS DISTINCT FROM (earlier.status, earlier.media_id)
    HAVING count(*) > 0;
    RETURN NULL;
END $$;
CREATE FUNCTION public.follow_episode() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE library_media SET status = shelf_status(media_id, libraries.owner_user_id)
    FROM libraries WHERE libraries.id = library_media.library_id AND library_media.media_id = NEW.id;
    RETURN NULL;
END $$;
CREATE FUNCTION public.follow_gone_items() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(media_id), array_agg(user_id)) FROM earlier;
    RETURN NULL;
END $$;
CREATE FUNCTION public.follow_new_items() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(media_id), array_agg(user_id)) FROM later;
    RETURN NULL;
END $$;
CREATE FUNCTION public.note_images() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO media_images (url_key, media_id)
    SELECT text_key(matched[1]), NEW.media_id
    FROM regexp_matches(NEW.html_sanitized, 'src="/media/image\?url=([A-Za-z0-9_.~%-]+)"', 'g') AS matched
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION public.note_new_name() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO search_waiting (media_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION public.note_new_text() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO search_waiting (media_id) SELECT DISTINCT media_id FROM later ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION public.place_on_shelf() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    SELECT media.kind, shelf_status(media.id, libraries.owner_user_id) INTO NEW.kind, NEW.status
    FROM media, libraries WHERE media.id = NEW.media_id AND libraries.id = NEW.library_id;
    RETURN NEW;
END $$;
CREATE FUNCTION public.refresh_shelf(works uuid[], owners uuid[]) RETURNS void
    LANGUAGE sql
    AS $$
    UPDATE library_media SET status = fresh.status
    FROM (SELECT DISTINCT work, owner FROM unnest(works, owners) AS touched(work, owner)) AS touched
    JOIN libraries ON libraries.owner_user_id = touched.owner
    CROSS JOIN LATERAL (SELECT shelf_status(touched.work, touched.owner) AS status) AS fresh
    WHERE library_media.library_id = libraries.id AND library_media.media_id = touched.work
      AND library_media.status <> fresh.status
$$;
CREATE FUNCTION public.refuse_foreign_paste_in_library() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM media JOIN libraries ON libraries.id = NEW.library_id
        WHERE media.id = NEW.media_id AND media.owner_user_id <> libraries.owner_user_id
    ) THEN
        RAISE EXCEPTION 'pasted text stays in the libraries of its owner'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.refuse_item_of_foreign_paste() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM media WHERE id = NEW.media_id AND owner_user_id <> NEW.user_id) THEN
        RAISE EXCEPTION 'pasted text belongs to its owner alone'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.refuse_status_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% cannot go from % to %', TG_TABLE_NAME, to_jsonb(OLD) ->> TG_ARGV[0], to_jsonb(NEW) ->> TG_ARGV[0]
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE FUNCTION public.refuse_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION '% never change once written', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE FUNCTION public.require_fragment_when_ready() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    which uuid;
BEGIN
    IF TG_OP = 'DELETE' THEN
        which := OLD.media_id;
    ELSE
        which := NEW.id;
    END IF;
    PERFORM FROM media WHERE id = which AND processing_status = 'ready_for_reading' FOR SHARE;
    IF FOUND AND NOT EXISTS (SELECT FROM fragments WHERE media_id = which) THEN
        RAISE EXCEPTION 'media % is ready without a fragment', which
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.ring_after_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('nexus_status', user_id || ':' || coalesce(fetch_again_of, id))
    FROM (SELECT * FROM old_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
CREATE FUNCTION public.ring_after_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM new_items WHERE status = 'queued' AND due_at <= now()) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || coalesce(fetch_again_of, id))
    FROM (SELECT * FROM new_items LIMIT 1000) AS told;
    RETURN NULL;
END $$;
CREATE FUNCTION public.ring_after_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM new_items JOIN old_items USING (id)
        WHERE new_items.status = 'queued' AND new_items.due_at <= now()
          AND (old_items.status <> 'queued' OR old_items.due_at > new_items.due_at)
    ) THEN
        PERFORM pg_notify('nexus_work', '');
    END IF;
    PERFORM pg_notify('nexus_status', user_id || ':' || id) FROM (
        SELECT new_items.user_id, coalesce(new_items.fetch_again_of, new_items.id) AS id
        FROM new_items JOIN old_items USING (id)
        WHERE (new_items.status, new_items.status_detail, new_items.title, new_items.media_id)
              IS DISTINCT FROM (old_items.status, old_items.status_detail, old_items.title, old_items.media_id)
        LIMIT 1000
    ) AS told;
    RETURN NULL;
END $$;
CREATE FUNCTION public.shelf_status(work uuid, owner uuid) RETURNS text
    LANGUAGE sql
    AS $$
    SELECT coalesce(
        (SELECT status FROM items WHERE media_id = work AND user_id = owner
         ORDER BY created_at DESC, id DESC LIMIT 1),
        (SELECT CASE processing_status
                    WHEN 'pending' THEN 'queued'
                    WHEN 'extracting' THEN 'processing'
                    WHEN 'ready_for_reading' THEN 'succeeded'
                    ELSE 'failed'
                END
         FROM media WHERE id = work))
$$;
CREATE FUNCTION public.tell_of_episode() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM pg_notify('nexus_status', owner_user_id || ':' || 'shelf') FROM libraries
    WHERE id = coalesce(NEW.library_id, OLD.library_id);
    RETURN NULL;
END $$;
CREATE FUNCTION public.text_key(value text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT pg_catalog.sha256(pg_catalog.convert_to(value, 'UTF8'))
$$;
CREATE FUNCTION public.touch_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    is_operator boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT ck_api_tokens_hash CHECK ((octet_length(secret_sha256) = 32)),
    CONSTRAINT ck_api_tokens_label CHECK ((char_length(label) <= 100))
);
CREATE TABLE public.episode_aliases (
    podcast_id uuid NOT NULL,
    alias_sha256 bytea NOT NULL,
    alias text NOT NULL,
    episode_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_episode_aliases_hash CHECK ((alias_sha256 = public.text_key(alias)))
);
CREATE TABLE public.episode_removals (
    user_id uuid NOT NULL,
    episode_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.episodes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    podcast_id uuid NOT NULL,
    media_id uuid,
    guid text NOT NULL,
    guid_source text NOT NULL,
    title text,
    link text,
    enclosure_url text,
    published_at timestamp with time zone,
    duration_ms bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    chapters jsonb DEFAULT '[]'::jsonb NOT NULL,
    transcript_source text,
    CONSTRAINT ck_episodes_chapters CHECK ((jsonb_typeof(chapters) = 'array'::text)),
    CONSTRAINT ck_episodes_duration CHECK ((duration_ms >= 0)),
    CONSTRAINT ck_episodes_guid_source CHECK ((guid_source = ANY (ARRAY['guid'::text, 'enclosure'::text, 'title_and_date'::text]))),
    CONSTRAINT ck_episodes_transcript_source CHECK ((transcript_source = ANY (ARRAY['publisher'::text, 'openai'::text, 'whisper'::text])))
);
CREATE TABLE public.extraction_attempts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    item_id uuid NOT NULL,
    attempt_no integer NOT NULL,
    rung text NOT NULL,
    result text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    duration_ms bigint NOT NULL,
    error_code text,
    error_detail text,
    http_status integer,
    final_url text,
    content_length bigint,
    CONSTRAINT ck_extraction_attempts_error CHECK (((result = 'error'::text) = (error_code IS NOT NULL))),
    CONSTRAINT ck_extraction_attempts_http CHECK (((http_status >= 100) AND (http_status <= 999))),
    CONSTRAINT ck_extraction_attempts_no CHECK ((attempt_no >= 1)),
    CONSTRAINT ck_extraction_attempts_numbers CHECK (((duration_ms >= 0) AND (content_length >= 0))),
    CONSTRAINT ck_extraction_attempts_result CHECK ((result = ANY (ARRAY['success'::text, 'error'::text]))),
    CONSTRAINT ck_extraction_attempts_rung CHECK ((rung = ANY (ARRAY['static'::text, 'browser'::text])))
);
CREATE TABLE public.fragments (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    media_id uuid NOT NULL,
    idx integer NOT NULL,
    html_sanitized text NOT NULL,
    canonical_text text NOT NULL,
    start_ms bigint,
    end_ms bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_fragments_idx CHECK ((idx >= 0)),
    CONSTRAINT ck_fragments_times CHECK (((num_nonnulls(start_ms, end_ms) = ANY (ARRAY[0, 2])) AND (start_ms >= 0) AND (end_ms >= start_ms)))
);
CREATE TABLE public.item_pastes (
    item_id uuid NOT NULL,
    user_pasted_text text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_item_pastes_length CHECK (((char_length(user_pasted_text) >= 1) AND (char_length(user_pasted_text) <= 200000)))
);
CREATE TABLE public.items (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    media_id uuid NOT NULL,
    status text NOT NULL,
    status_detail text,
    source_type text NOT NULL,
    requested_url text,
    final_text_source text,
    title text,
    request_id text,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    max_attempts integer DEFAULT 2 NOT NULL,
    claimed_by uuid,
    claimed_at timestamp with time zone,
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    losses integer DEFAULT 0 NOT NULL,
    url_key bytea,
    fetched_again_at timestamp with time zone,
    fetch_again_of uuid,
    CONSTRAINT ck_items_attempts CHECK (((attempts >= 0) AND (max_attempts >= 1))),
    CONSTRAINT ck_items_fetch_again_of_other CHECK ((fetch_again_of <> id)),
    CONSTRAINT ck_items_losses CHECK ((losses >= 0)),
    CONSTRAINT ck_items_processing_is_claimed CHECK ((num_nonnulls(claimed_by, claimed_at, lease_until) =
CASE
    WHEN (status = 'processing'::text) THEN 3
    ELSE 0
END)),
    CONSTRAINT ck_items_source CHECK ((source_type = ANY (ARRAY['url'::text, 'pasted_text'::text]))),
    CONSTRAINT ck_items_status CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'needs_user_text'::text, 'succeeded'::text, 'failed'::text]))),
    CONSTRAINT ck_items_succeeded_names_source CHECK (((status = 'succeeded'::text) = (final_text_source IS NOT NULL))),
    CONSTRAINT ck_items_text_source CHECK ((final_text_source = ANY (ARRAY['extracted_from_url'::text, 'user_pasted_text'::text]))),
    CONSTRAINT ck_items_url CHECK (((char_length(requested_url) >= 1) AND (char_length(requested_url) <= 4096))),
    CONSTRAINT ck_items_url_key CHECK ((octet_length(url_key) = 32)),
    CONSTRAINT ck_items_url_when_from_url CHECK (((source_type <> 'url'::text) OR (requested_url IS NOT NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='200');
CREATE TABLE public.media (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    owner_user_id uuid,
    created_by_user_id uuid,
    requested_url text,
    canonical_url text,
    declared_url text,
    title text,
    byline text,
    site_name text,
    lang text,
    published_at timestamp with time zone,
    excerpt text,
    word_count integer,
    lead_image_url text,
    audio_url text,
    processing_status text DEFAULT 'pending'::text NOT NULL,
    processing_attempts integer DEFAULT 0 NOT NULL,
    processing_started_at timestamp with time zone,
    processing_completed_at timestamp with time zone,
    failed_at timestamp with time zone,
    failure_stage text,
    last_error_code text,
    last_error_message text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_media_article_url_when_ready CHECK (((kind <> 'web_article'::text) OR (canonical_url IS NULL) OR (processing_status = 'ready_for_reading'::text))),
    CONSTRAINT ck_media_counts CHECK (((processing_attempts >= 0) AND (word_count >= 0))),
    CONSTRAINT ck_media_failed_says_why CHECK (((processing_status <> 'failed'::text) OR (num_nonnulls(failed_at, failure_stage, last_error_code) = 3))),
    CONSTRAINT ck_media_kind CHECK ((kind = ANY (ARRAY['web_article'::text, 'pasted_text'::text, 'podcast_episode'::text]))),
    CONSTRAINT ck_media_pasted_has_no_url CHECK (((kind <> 'pasted_text'::text) OR (canonical_url IS NULL))),
    CONSTRAINT ck_media_pasted_is_private CHECK (
CASE kind
    WHEN 'pasted_text'::text THEN (owner_user_id IS NOT NULL)
    WHEN 'web_article'::text THEN true
    ELSE (owner_user_id IS NULL)
END),
    CONSTRAINT ck_media_private_has_no_url CHECK (((owner_user_id IS NULL) OR (canonical_url IS NULL))),
    CONSTRAINT ck_media_ready_is_complete CHECK (((processing_status <> 'ready_for_reading'::text) OR ((processing_completed_at IS NOT NULL) AND (last_error_code IS NULL)))),
    CONSTRAINT ck_media_stage CHECK ((failure_stage = ANY (ARRAY['upload'::text, 'extract'::text, 'transcribe'::text, 'embed'::text, 'other'::text]))),
    CONSTRAINT ck_media_status CHECK ((processing_status = ANY (ARRAY['pending'::text, 'extracting'::text, 'ready_for_reading'::text, 'failed'::text])))
);
CREATE VIEW public.item_content AS
 SELECT items.id AS item_id,
    item_pastes.user_pasted_text,
    extracted.text AS extracted_text,
        CASE items.final_text_source
            WHEN 'user_pasted_text'::text THEN item_pastes.user_pasted_text
            WHEN 'extracted_from_url'::text THEN extracted.text
            ELSE NULL::text
        END AS canonical_text,
    GREATEST(items.updated_at, item_pastes.updated_at) AS updated_at
   FROM ((public.items
     LEFT JOIN public.item_pastes ON ((item_pastes.item_id = items.id)))
     LEFT JOIN LATERAL ( SELECT string_agg(fragments.canonical_text, chr(10) ORDER BY fragments.idx) AS text
           FROM (public.media
             JOIN public.fragments ON ((fragments.media_id = media.id)))
          WHERE ((media.id = items.media_id) AND (media.kind <> 'pasted_text'::text))) extracted ON (true));
CREATE TABLE public.libraries (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    owner_user_id uuid NOT NULL,
    name text NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_libraries_name CHECK (((char_length(btrim(name)) >= 1) AND (char_length(btrim(name)) <= 100)))
);
CREATE TABLE public.library_media (
    library_id uuid NOT NULL,
    media_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    read_at timestamp with time zone
);
CREATE TABLE public.media_aliases (
    alias_id uuid NOT NULL,
    media_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    user_id uuid NOT NULL,
    CONSTRAINT ck_media_aliases_other CHECK ((alias_id <> media_id))
);
CREATE TABLE public.media_images (
    url_key bytea NOT NULL,
    media_id uuid NOT NULL
);
CREATE TABLE public.podcasts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    feed_url text NOT NULL,
    moved_from text[] DEFAULT '{}'::text[] NOT NULL,
    title text,
    site_url text,
    lang text,
    image_url text,
    etag text,
    last_modified text,
    last_fetched_at timestamp with time zone,
    last_succeeded_at timestamp with time zone,
    last_error_code text,
    last_error_message text,
    consecutive_failures integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ck_podcasts_failures CHECK ((consecutive_failures >= 0))
);
CREATE TABLE public.search_passages (
    media_id uuid NOT NULL,
    part integer NOT NULL,
    first_fragment integer,
    first_start integer,
    last_fragment integer,
    words tsvector NOT NULL,
    CONSTRAINT ck_search_passages_part CHECK ((part >= 0)),
    CONSTRAINT ck_search_passages_place CHECK ((num_nonnulls(first_fragment, first_start, last_fragment) =
CASE
    WHEN (part < 2) THEN 0
    ELSE 3
END))
);
CREATE TABLE public.search_waiting (
    media_id uuid NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000');
CREATE TABLE public.sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    token_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT ck_sessions_expiry CHECK ((expires_at > created_at)),
    CONSTRAINT ck_sessions_hash CHECK ((octet_length(secret_sha256) = 32))
);
CREATE TABLE public.shelf_counts (
    id bigint NOT NULL,
    library_id uuid NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    difference bigint NOT NULL,
    is_read boolean DEFAULT false NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000');
ALTER TABLE public.shelf_counts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.shelf_counts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.workers (
    id uuid NOT NULL,
    engine text NOT NULL,
    host text NOT NULL,
    can_render boolean NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    sandbox boolean DEFAULT true NOT NULL,
    CONSTRAINT ck_workers_engine CHECK ((engine = ANY (ARRAY['postgres'::text, 'celery'::text, 'relay'::text])))
);
INSERT INTO public.alembic_version VALUES
	('0017');
INSERT INTO public.episode_aliases VALUES
	('517375f9-04dd-4dd5-bede-49355434b6b6', '\xb94f523196aaacd8bdb9ef0d8cf2e1d8f9b766ab5097f086ff541b7112699b7b', 'e-1', 'e4f6cc31-427b-46e5-87ba-3448fa836c5e', '2026-11-16 05:52:58.206347+00'),
	('517375f9-04dd-4dd5-bede-49355434b6b6', '\x761d230a06e678ef0d18d4997dad6b33274e7c8a0416a3c4358abe3cd5c0d24e', 'e-2', '63762086-1fbe-441d-9ffa-dc12a41b361c', '2026-11-16 05:52:58.357308+00'),
	('517375f9-04dd-4dd5-bede-49355434b6b6', '\xf52a315c8841749fb4904048364775f3b6b420d5278ce9b828eb464164271f36', 'e-3', '71c4bd22-416f-4885-8075-231b21fbfad1', '2026-11-16 05:52:58.453526+00');
INSERT INTO public.episode_removals VALUES
	('11111111-1111-1111-1111-111111111111', '71c4bd22-416f-4885-8075-231b21fbfad1', '2026-11-16 05:52:58.798298+00');
INSERT INTO public.episodes VALUES
	('e4f6cc31-427b-46e5-87ba-3448fa836c5e', '517375f9-04dd-4dd5-bede-49355434b6b6', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', 'e-1', 'guid', 'Episode e-1', NULL, 'https://show.example/e-1.mp3', NULL, 3000, '2026-11-16 05:52:58.206347+00', '2026-11-16 05:52:58.206347+00', '[{"url": null, "image": "https://show.example/i.png", "title": "Start", "end_ms": null, "start_ms": 0}]', 'publisher'),
	('63762086-1fbe-441d-9ffa-dc12a41b361c', '517375f9-04dd-4dd5-bede-49355434b6b6', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', 'e-2', 'guid', 'Episode e-2', NULL, 'https://show.example/e-2.mp3', NULL, 3000, '2026-11-16 05:52:58.357308+00', '2026-11-16 05:52:58.357308+00', '[{"url": null, "image": "https://show.example/i.png", "title": "Start", "end_ms": null, "start_ms": 0}]', 'whisper'),
	('71c4bd22-416f-4885-8075-231b21fbfad1', '517375f9-04dd-4dd5-bede-49355434b6b6', NULL, 'e-3', 'guid', 'Episode e-3', NULL, 'https://show.example/e-3.mp3', NULL, 3000, '2026-11-16 05:52:58.453526+00', '2026-11-16 05:52:58.798298+00', '[{"url": null, "image": "https://show.example/i.png", "title": "Start", "end_ms": null, "start_ms": 0}]', 'openai');
INSERT INTO public.extraction_attempts VALUES
	('9b4e3796-f2bd-4b0e-a781-1c79a1647479', '0fe9b836-ab74-4afb-a601-51f7b4e8afbb', 1, 'static', 'success', '2026-11-16 05:52:54.353157+00', '2026-11-16 05:52:54.473157+00', 120, NULL, NULL, 200, NULL, 5000),
	('ec883e59-80b6-4fa7-b336-f84ae7d9a5b7', '97bb1866-94ff-4916-a9e0-2197b8409fc6', 1, 'static', 'success', '2026-11-16 05:52:54.838107+00', '2026-11-16 05:52:54.958107+00', 120, NULL, NULL, 200, NULL, 5000),
	('164b0c69-0c76-4103-b78c-5d46f5b70bfb', '0cfcca83-e890-4f63-b4f0-c9ea358382d5', 1, 'static', 'error', '2026-11-16 05:52:55.222297+00', '2026-11-16 05:52:55.342297+00', 120, 'too_short', '47 characters of text, 600 wanted.', 200, NULL, 5000),
	('b571b515-8561-4694-84e5-a652e72e5417', '0cfcca83-e890-4f63-b4f0-c9ea358382d5', 2, 'browser', 'success', '2026-11-16 05:52:55.222317+00', '2026-11-16 05:52:55.342317+00', 120, NULL, NULL, 200, NULL, 5000),
	('89048970-cca8-425e-bf9c-23475275d38c', 'ddedfc89-d852-47c9-a0d4-f5f17a860f82', 1, 'static', 'success', '2026-11-16 05:52:55.72729+00', '2026-11-16 05:52:55.84729+00', 120, NULL, NULL, 200, NULL, 5000),
	('2e73cf11-b129-4fc9-9c5a-1ae4c72c5791', '85795e4f-08b4-4479-ad34-dc7516ab553e', 1, 'static', 'error', '2026-11-16 05:52:55.816445+00', '2026-11-16 05:52:55.936445+00', 120, 'too_short', '47 characters of text, 600 wanted.', 200, NULL, 5000),
	('46706bc8-97df-4199-a328-3d69caf19c1b', '85795e4f-08b4-4479-ad34-dc7516ab553e', 2, 'browser', 'error', '2026-11-16 05:52:55.816466+00', '2026-11-16 05:52:55.936466+00', 120, 'too_short', '47 characters of text, 600 wanted.', 200, NULL, 5000),
	('0c5515e8-8751-4698-b097-4efd7d312d1e', '1d04d464-2b88-4f46-b27c-5c80dfe7b7a8', 1, 'static', 'error', '2026-11-16 05:52:56.050237+00', '2026-11-16 05:52:56.170237+00', 120, 'too_short', '47 characters of text, 600 wanted.', 200, NULL, 5000),
	('c5ec8525-b91b-4080-b3d5-f6be6dd6527a', '1d04d464-2b88-4f46-b27c-5c80dfe7b7a8', 2, 'browser', 'error', '2026-11-16 05:52:56.050263+00', '2026-11-16 05:52:56.170263+00', 120, 'too_short', '47 characters of text, 600 wanted.', 200, NULL, 5000),
	('aa180644-2371-4ed9-8286-5f049d950476', '73a5497b-0811-42d9-849b-c60170a9f6bf', 1, 'static', 'success', '2026-11-16 05:52:56.517149+00', '2026-11-16 05:52:56.637149+00', 120, NULL, NULL, 200, NULL, 5000),
	('c00dd7b7-a79d-4a14-a528-c3c3b17f612e', 'f3d5ec16-a531-4d34-9142-e175e17bffeb', 1, 'static', 'success', '2026-11-16 05:52:56.794391+00', '2026-11-16 05:52:56.914391+00', 120, NULL, NULL, 200, NULL, 5000),
	('d6dc3670-3238-41db-a73a-5245d22d9cc3', '758cda18-bb7b-473a-b8d7-7caa324b6869', 1, 'static', 'error', '2026-11-16 05:52:57.211091+00', '2026-11-16 05:52:57.211091+00', 0, 'http_404', NULL, NULL, NULL, NULL),
	('407139c4-a74e-4575-9b57-655c02b13991', '6dc1b673-f21f-4a45-a46a-a48199ea87cf', 1, 'static', 'error', '2026-11-16 05:52:57.351559+00', '2026-11-16 05:52:57.351559+00', 0, 'blocked_page', NULL, NULL, NULL, NULL),
	('94abda8f-3d90-4e36-964f-768dbf772086', '3b1107e5-a608-4145-bafb-aecd5f52ee46', 1, 'static', 'error', '2026-11-16 05:52:57.558634+00', '2026-11-16 05:52:57.558634+00', 0, 'internal_error', NULL, NULL, NULL, NULL),
	('12cdbca6-a3e4-4881-b662-fd2186078007', '0fe9b836-ab74-4afb-a601-51f7b4e8afbb', 2, 'static', 'success', '2026-11-16 05:52:57.606666+00', '2026-11-16 05:52:57.726666+00', 120, NULL, NULL, 200, NULL, 5000),
	('29c90256-deea-4849-9c9b-ad323a8a3581', 'ddedfc89-d852-47c9-a0d4-f5f17a860f82', 2, 'static', 'success', '2026-11-16 05:52:57.757992+00', '2026-11-16 05:52:57.877992+00', 120, NULL, NULL, 200, NULL, 5000);
INSERT INTO public.fragments VALUES
	('a7f84f68-d716-440e-b7d2-e065ed04b427', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 0, '<figure><img alt="The scene" height="600" src="/media/image?url=https%3A%2F%2Fnews.example%2Flead.jpg" width="900"><figcaption>The site on Tuesday, seen from the east bank.</figcaption></figure><p>The stone bridge over the Elm river carried its first cars on Tuesday morning, twenty-six months after engineers found that the second pier had shifted by nine centimetres.</p><p>Crews had to drain the eastern channel twice, because a spring flood filled the coffer dam in the first year and carried away a crane platform worth more than the whole survey.</p><p>“We knew the footing was shallow, we did not know it stood on gravel alone,” said the project''s lead engineer, who has worked on three other crossings along the same valley.</p><p>The town paid for a third of the work from its own reserve; the rest came from a national fund for crossings that serve fewer than ten thousand vehicles a day.</p><p>Cyclists gain a separate lane on the upstream side, and the parapet has been raised to a metre and ten to meet the current rules.</p>', 'The site on Tuesday, seen from the east bank.
The stone bridge over the Elm river carried its first cars on Tuesday morning, twenty-six months after engineers found that the second pier had shifted by nine centimetres.
Crews had to drain the eastern channel twice, because a spring flood filled the coffer dam in the first year and carried away a crane platform worth more than the whole survey.
“We knew the footing was shallow, we did not know it stood on gravel alone,” said the project''s lead engineer, who has worked on three other crossings along the same valley.
The town paid for a third of the work from its own reserve; the rest came from a national fund for crossings that serve fewer than ten thousand vehicles a day.
Cyclists gain a separate lane on the upstream side, and the parapet has been raised to a metre and ten to meet the current rules.', NULL, NULL, '2026-11-16 05:52:54.482349+00'),
	('d774681d-ab26-4bcd-b828-fda367a32fe5', '9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 0, '<p>Not to be confused with the <a href="https://wiki.example/wiki/Harmonic_(music)" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">harmonic of a string</a>.</p><table><tbody><tr><th colspan="2">Tidal harmonic</th></tr><tr><th>Field</th><td>Oceanography</td></tr><tr><th>First table</th><td>1867</td></tr><tr><th>Unit</th><td>degrees per hour</td></tr></tbody></table><p>A <strong>tidal harmonic</strong>, also called a <strong>constituent</strong>, is one of the regular waves that together make up the <a href="https://wiki.example/wiki/Tide" title="Tide" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">tide</a> at a place. Each has a period that follows from the motion of the Earth, the <a href="https://wiki.example/wiki/Moon" title="Moon" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">Moon</a> and the Sun, and an amplitude and a phase that must be measured on the spot.<sup><a href="https://wiki.example/page#cite_note-1" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">[1]</a></sup></p><p>The height of the water at the time <code>t</code> is the sum of all of them:</p><dl><dd><p><code>h(t)=h_{0}+\sum _{k=1}^{n}A_{k}\cos(\omega _{k}t-\varphi _{k})</code></p></dd></dl><p>Here <code>A_{k}</code> is the amplitude of a constituent and <code>\omega _{k}</code> its speed. Ports publish between nine and one hundred of them; for a day at sea four are enough.<sup><a href="https://wiki.example/page#cite_note-harris-2" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">[2]</a></sup></p><h2>Contents</h2><ul><li><a href="https://wiki.example/page#Main" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">1 Main constituents</a></li><li><a href="https://wiki.example/page#History" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">2 History</a></li><li><a href="https://wiki.example/page#References" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">3 References</a></li></ul><h2>Main constituents</h2><p>The strongest at most coasts is <em>M2</em>, the principal lunar semidiurnal wave. Its period of 12.42 hours is half of a lunar day, and its share of the whole is given by the form number, a ratio of amplitudes in which the diurnal waves stand above the semidiurnal ones.</p><table><caption>Speeds of four constituents</caption><tbody><tr><th>Name</th><th>Speed (°/h)</th><th>Period (h)</th></tr><tr><td>M2</td><td>28.984</td><td>12.42</td></tr><tr><td>S2</td><td>30.000</td><td>12.00</td></tr><tr><td>K1</td><td>15.041</td><td>23.93</td></tr><tr><td>O1</td><td>13.943</td><td>25.82</td></tr></tbody></table><figure><a href="https://wiki.example/wiki/File:Tide_machine.jpg" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer"><img height="188" src="/media/image?url=https%3A%2F%2Fwiki.example%2Fimg%2Fthumb%2Ftide_machine.jpg%2F250px-tide_machine.jpg" width="250"></a><figcaption>A machine of brass wheels that added ten constituents by turning a crank</figcaption></figure><p>Where the sea is shallow, the waves disturb each other and new ones appear, with speeds that are sums of the old: <em>M4</em> runs at twice the speed of M2 and makes the flood shorter than the ebb.</p><h2>History</h2><p>Tables of high water were kept as family secrets in several ports before the method was known. The first analysis by harmonics was made in 1867 from a year of hourly readings, and took two people eleven months.<sup><a href="https://wiki.example/page#cite_note-3" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">[3]</a></sup> Machines took over the sums soon afterwards and kept them until 1965.</p><h2>References</h2><ol><li><strong><a href="https://wiki.example/page#cite_ref-1" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">^</a></strong> <cite>Dunmore, Alice (1988). <em>The Sea by Numbers</em>. Harbour Press. p. 41.</cite></li><li><strong><a href="https://wiki.example/page#cite_ref-harris_2-0" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">^</a></strong> <cite>Harris, P. (2004). <a href="https://journal.test/four" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">"Four waves are enough"</a>. <em>Coastal Letters</em>. <strong>12</strong> (3): 77–91.</cite></li><li><strong><a href="https://wiki.example/page#cite_ref-3" rel="noopener noreferrer" target="_blank" referrerpolicy="no-referrer">^</a></strong> <cite>Okafor, Ben (1971). <em>Brass Computers</em>. Lantern Books.</cite></li></ol><table><tbody><tr><th>Physical oceanography</th></tr></tbody></table>', 'Not to be confused with the harmonic of a string.
Tidal harmonic
Field	Oceanography
First table	1867
Unit	degrees per hour
A tidal harmonic, also called a constituent, is one of the regular waves that together make up the tide at a place. Each has a period that follows from the motion of the Earth, the Moon and the Sun, and an amplitude and a phase that must be measured on the spot.[1]
The height of the water at the time t is the sum of all of them:
h(t)=h_{0}+\sum _{k=1}^{n}A_{k}\cos(\omega _{k}t-\varphi _{k})
Here A_{k} is the amplitude of a constituent and \omega _{k} its speed. Ports publish between nine and one hundred of them; for a day at sea four are enough.[2]
Contents
1 Main constituents
2 History
3 References
Main constituents
The strongest at most coasts is M2, the principal lunar semidiurnal wave. Its period of 12.42 hours is half of a lunar day, and its share of the whole is given by the form number, a ratio of amplitudes in which the diurnal waves stand above the semidiurnal ones.
Speeds of four constituents
Name	Speed (°/h)	Period (h)
M2	28.984	12.42
S2	30.000	12.00
K1	15.041	23.93
O1	13.943	25.82
A machine of brass wheels that added ten constituents by turning a crank
Where the sea is shallow, the waves disturb each other and new ones appear, with speeds that are sums of the old: M4 runs at twice the speed of M2 and makes the flood shorter than the ebb.
History
Tables of high water were kept as family secrets in several ports before the method was known. The first analysis by harmonics was made in 1867 from a year of hourly readings, and took two people eleven months.[3] Machines took over the sums soon afterwards and kept them until 1965.
References
^ Dunmore, Alice (1988). The Sea by Numbers. Harbour Press. p. 41.
^ Harris, P. (2004). "Four waves are enough". Coastal Letters. 12 (3): 77–91.
^ Okafor, Ben (1971). Brass Computers. Lantern Books.
Physical oceanography', NULL, NULL, '2026-11-16 05:52:55.475125+00'),
	('8821e06b-a477-4075-8620-e5b40ee9f390', 'e02030da-f402-4eae-a787-c43bd313678b', 0, '<p>Forty-seven characters are all that was there.</p>', 'Forty-seven characters are all that was there.', NULL, NULL, '2026-11-16 05:52:56.072124+00'),
	('83da19b3-073a-4d96-8153-4daeb067964a', '5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 0, '<p>Forty-seven characters are all that was there.</p>', 'Forty-seven characters are all that was there.', NULL, NULL, '2026-11-16 05:52:56.382489+00'),
	('07bed1db-f022-4779-beb4-3fb5d07a88c1', '67275948-ccae-48c9-b6b9-c197fc06c6e6', 0, '<p>It was enough when the limit was lower.</p>', 'It was enough when the limit was lower.', NULL, NULL, '2026-11-16 05:52:56.640837+00'),
	('e3ab2844-01c0-441a-8154-9fa5d88a1c2b', '2f9b94a9-3feb-4057-9aac-e6f06b22e700', 0, '<p>I lost the rosemary, both fuchsias and a fig that had no business being there in the first place. The kale, as ever, looks better for it.</p><p>A frost pocket is not a mystery. Cold air runs downhill like water and sits behind the first thing that stops it, which in my case is the hedge I planted to keep the wind out.</p><blockquote><p>Write down what you did, not what you meant to do.</p></blockquote><p>So this year I have cut a gap in the hedge, the width of a gate, at its lowest corner. It looks odd and the neighbours have asked about it twice.</p><p>If it works I shall write about it in April. If it does not, I shall write about hedges.</p>', 'I lost the rosemary, both fuchsias and a fig that had no business being there in the first place. The kale, as ever, looks better for it.
A frost pocket is not a mystery. Cold air runs downhill like water and sits behind the first thing that stops it, which in my case is the hedge I planted to keep the wind out.
Write down what you did, not what you meant to do.
So this year I have cut a gap in the hedge, the width of a gate, at its lowest corner. It looks odd and the neighbours have asked about it twice.
If it works I shall write about it in April. If it does not, I shall write about hedges.', NULL, NULL, '2026-11-16 05:52:56.91491+00'),
	('18b17637-60c4-4b58-b3ed-af476f9618b8', '6ed88f78-9241-4c4f-8843-0cd4483b84cd', 0, '<p>My notes</p><p>First line.<br>Second line with *stars*.</p>', 'My notes
First line.
Second line with *stars*.', NULL, NULL, '2026-11-16 05:52:57.012204+00'),
	('598aeafe-5979-42fc-b506-471b9b664ea2', '1c27aaa2-850d-4b24-8c7b-b8e976febe41', 0, '<p>Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure.</p>', 'Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure.', NULL, NULL, '2026-11-16 05:52:57.393778+00'),
	('39c89a71-87ca-4be2-a430-d11fd1f31f93', '2879d101-3b95-4c10-8047-36e73d1ff3be', 0, '<p>Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. </p>', 'Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. Something else. ', NULL, NULL, '2026-11-16 05:52:57.882066+00'),
	('f034a909-c4b7-4c9c-8d99-070d0bb04636', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', 0, '<p>Welcome to e-1.</p>', 'Welcome to e-1.', 0, 900, '2026-11-16 05:52:58.206347+00'),
	('e34ee5c2-c754-47ae-a57b-af5f28bb39f7', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', 1, '<p>We talk about bridges.</p>', 'We talk about bridges.', 1000, 1900, '2026-11-16 05:52:58.206347+00'),
	('d7eada51-37c0-4210-810a-d653cb01d879', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', 2, '<p>Goodbye.</p>', 'Goodbye.', 2000, 2900, '2026-11-16 05:52:58.206347+00'),
	('8dd637b6-10e3-4ec5-8801-541e8a32a080', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', 3, '<p>Notes of it.</p>', 'Notes of it.', NULL, NULL, '2026-11-16 05:52:58.206347+00'),
	('7076adc6-ae7c-4895-b420-9501c0c35de1', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', 0, '<p>Welcome to e-2.</p>', 'Welcome to e-2.', 0, 900, '2026-11-16 05:52:58.357308+00'),
	('2080b022-c5e8-4cb0-9321-bcf91c6237db', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', 1, '<p>We talk about bridges.</p>', 'We talk about bridges.', 1000, 1900, '2026-11-16 05:52:58.357308+00'),
	('21f78329-6bea-4cd1-8aca-143c20424587', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', 2, '<p>Goodbye.</p>', 'Goodbye.', 2000, 2900, '2026-11-16 05:52:58.357308+00'),
	('b425de14-c619-4245-b700-853a3fbe1c3c', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', 3, '<p>Notes of it.</p>', 'Notes of it.', NULL, NULL, '2026-11-16 05:52:58.357308+00');
INSERT INTO public.item_pastes VALUES
	('df25368e-a3ce-49b0-b262-6d7f8241ed1a', 'My notes

First line.
Second line with *stars*.', '2026-11-16 05:52:57.012204+00', '2026-11-16 05:52:57.012204+00'),
	('758cda18-bb7b-473a-b8d7-7caa324b6869', 'What I have of it.', '2026-11-16 05:52:57.117602+00', '2026-11-16 05:52:57.117602+00'),
	('6dc1b673-f21f-4a45-a46a-a48199ea87cf', 'Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. ', '2026-11-16 05:52:57.393778+00', '2026-11-16 05:52:57.393778+00');
INSERT INTO public.items VALUES
	('97bb1866-94ff-4916-a9e0-2197b8409fc6', '22222222-2222-2222-2222-222222222222', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 'succeeded', NULL, 'url', 'https://news.example/bridges?utm=1', 'extracted_from_url', 'Old river bridge reopens after two winters of repair', '82f05907771d413198b4fd3271858e89', '2026-11-16 05:52:54.813785+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:54.813785+00', '2026-11-16 05:52:54.963712+00', NULL, 0, '\xba5affbc8853aa2e26ceba1dd5bfb653c1e30b3eb0ea4985d96d0df681392b3d', NULL, NULL),
	('85795e4f-08b4-4479-ad34-dc7516ab553e', '11111111-1111-1111-1111-111111111111', 'e02030da-f402-4eae-a787-c43bd313678b', 'needs_user_text', 'Only 46 characters of text could be read there. Keep it as it is, or paste the text if that is not all of it.', 'url', 'https://short.example/', NULL, 'Short', '4b12a1990a1c410d9fa739bfaf1e9994', '2026-11-16 05:52:55.9745+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:55.9745+00', '2026-11-16 05:52:56.072124+00', NULL, 0, '\xc2b32d652f8e1a339b0a48e8313fabdd61a7703072bce14e0dbd607018a18f31', NULL, NULL),
	('1d04d464-2b88-4f46-b27c-5c80dfe7b7a8', '22222222-2222-2222-2222-222222222222', '5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 'succeeded', NULL, 'url', 'https://short.example/', 'extracted_from_url', 'Short', '7a5c9a712bac4926a10675abeb31cd68', '2026-11-16 05:52:56.198529+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:56.198529+00', '2026-11-16 05:52:56.382489+00', NULL, 0, '\xc2b32d652f8e1a339b0a48e8313fabdd61a7703072bce14e0dbd607018a18f31', NULL, NULL),
	('73a5497b-0811-42d9-849b-c60170a9f6bf', '11111111-1111-1111-1111-111111111111', '67275948-ccae-48c9-b6b9-c197fc06c6e6', 'succeeded', NULL, 'url', 'https://moved.example/a', 'extracted_from_url', 'Once', 'e9bbc57fff18419286039832491c3ffc', '2026-11-16 05:52:56.538371+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:56.538371+00', '2026-11-16 05:52:56.640837+00', NULL, 0, '\xbb596d4468f5435dd1512d888943037b173d7553a01868e5a9fd76bd961146c0', NULL, NULL),
	('f3d5ec16-a531-4d34-9142-e175e17bffeb', '22222222-2222-2222-2222-222222222222', '2f9b94a9-3feb-4057-9aac-e6f06b22e700', 'needs_user_text', 'Only 599 characters of text could be read there. Keep it as it is, or paste the text if that is not all of it.', 'url', 'https://moved.example/a', NULL, 'What the frost left standing', 'd50f1098eb864a1bbe44845f5059bd9f', '2026-11-16 05:52:56.846236+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:56.846236+00', '2026-11-16 05:52:56.91491+00', NULL, 0, '\xbb596d4468f5435dd1512d888943037b173d7553a01868e5a9fd76bd961146c0', NULL, NULL),
	('df25368e-a3ce-49b0-b262-6d7f8241ed1a', '11111111-1111-1111-1111-111111111111', '6ed88f78-9241-4c4f-8843-0cd4483b84cd', 'succeeded', NULL, 'pasted_text', NULL, 'user_pasted_text', 'My notes', '5edd95da7bbb44ab9466afb54d646d53', '2026-11-16 05:52:57.012204+00', 0, 2, NULL, NULL, NULL, '2026-11-16 05:52:57.012204+00', '2026-11-16 05:52:57.012204+00', NULL, 0, NULL, NULL, NULL),
	('758cda18-bb7b-473a-b8d7-7caa324b6869', '11111111-1111-1111-1111-111111111111', 'cb93122a-a612-4384-a284-1f796987ce1e', 'needs_user_text', 'The page is gone. You can paste the text instead.', 'url', 'https://gone.example/1', NULL, NULL, '254bc0efea334d4f8be5c1dc43d9a264', '2026-11-16 05:52:57.117602+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:57.117602+00', '2026-11-16 05:52:57.218079+00', NULL, 0, '\x004ad4dcc56dc88e7efb8524748005fd8d7303afddf581be01bed5f97c71b79e', NULL, NULL),
	('6dc1b673-f21f-4a45-a46a-a48199ea87cf', '22222222-2222-2222-2222-222222222222', '1c27aaa2-850d-4b24-8c7b-b8e976febe41', 'succeeded', NULL, 'url', 'https://gone.example/2', 'user_pasted_text', 'Pasted over a failure.', '8b7c6a9cd1004a65b9eb8a7b7aa9d53c', '2026-11-16 05:52:57.266369+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:57.266369+00', '2026-11-16 05:52:57.393778+00', NULL, 0, '\x2115bbdbf42a205545fe1576cf4780594364e4d254757b62dac677faa0122a3c', NULL, NULL),
	('3b1107e5-a608-4145-bafb-aecd5f52ee46', '22222222-2222-2222-2222-222222222222', '8e5a0fc1-1587-445a-a978-8e8ad213c60e', 'failed', 'Something broke.', 'url', 'https://broken.example/', NULL, NULL, 'f999afe9f57945f39fd13ba55aa3885c', '2026-11-16 05:52:57.532733+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:57.532733+00', '2026-11-16 05:52:57.558869+00', NULL, 0, '\x0ffadf0919a6659632277dbd7af470197a15497ea12df27157c789d5356ba5f4', NULL, NULL),
	('d20aaf73-acef-429f-86d9-cf59ac33e53b', '11111111-1111-1111-1111-111111111111', '86e106ab-85df-4bf0-a263-122e0d18e778', 'queued', NULL, 'url', 'https://wiki.example/page', NULL, NULL, 'again', '2026-11-16 05:52:58.104504+00', 0, 1, NULL, NULL, NULL, '2026-11-16 05:52:58.104504+00', '2026-11-16 05:52:58.104504+00', NULL, 0, NULL, NULL, '0cfcca83-e890-4f63-b4f0-c9ea358382d5'),
	('0fe9b836-ab74-4afb-a601-51f7b4e8afbb', '11111111-1111-1111-1111-111111111111', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 'succeeded', 'The page was fetched again; its text is the same.', 'url', 'https://news.example/bridges', 'extracted_from_url', 'Old river bridge reopens after two winters of repair', '70a62627bf5948d3b5a0c929ee0e58fc', '2026-11-16 05:52:54.237771+00', 2, 2, NULL, NULL, NULL, '2026-11-16 05:52:54.237771+00', '2026-11-16 05:52:57.74211+00', NULL, 0, '\x76fffd03fa03c267f503fb86e6a68c82939fbf3a062f2b2ae46f4b3c9520a90a', '2026-11-16 05:52:57.58382+00', NULL),
	('ddedfc89-d852-47c9-a0d4-f5f17a860f82', '22222222-2222-2222-2222-222222222222', '2879d101-3b95-4c10-8047-36e73d1ff3be', 'succeeded', NULL, 'url', 'https://blog.example/post', 'extracted_from_url', 'Story', '078ffb8cb2d44d59b34c8cdab45a1e97', '2026-11-16 05:52:55.705053+00', 2, 2, NULL, NULL, NULL, '2026-11-16 05:52:55.705053+00', '2026-11-16 05:52:57.882066+00', NULL, 0, '\xaf2e70e87b6d6305efa5d86a5c669eaf8f96979d6427a2167cbe0bef3dfc1ada', '2026-11-16 05:52:57.820659+00', NULL),
	('0cfcca83-e890-4f63-b4f0-c9ea358382d5', '11111111-1111-1111-1111-111111111111', '9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 'succeeded', NULL, 'url', 'https://wiki.example/page', 'extracted_from_url', 'Tidal harmonic', 'e6f71b805baf42b99b29a39831567b1f', '2026-11-16 05:52:55.398003+00', 1, 2, NULL, NULL, NULL, '2026-11-16 05:52:55.398003+00', '2026-11-16 05:52:58.104504+00', NULL, 0, '\x62516a4705140bc0c6a230e08e3dfb2a1ea9a3a56e4b23d55007d22d16a63485', '2026-11-16 05:52:58.104504+00', NULL),
	('627b3e8f-32ac-4487-9c81-00d84d5ba4ed', '11111111-1111-1111-1111-111111111111', '8ad4ce3f-2fab-4bc4-bed8-9ef2c5fba376', 'queued', NULL, 'url', 'https://queued.example/', NULL, NULL, '3a87df3622bb4c8997baa605a805e3d4', '2026-11-16 05:52:58.921004+00', 0, 2, NULL, NULL, NULL, '2026-11-16 05:52:58.921004+00', '2026-11-16 05:52:58.921004+00', NULL, 0, '\x3a058c31d36eddccaedfd6862c077e42783e48413ba09766d334fb7040eda729', NULL, NULL),
	('66297e62-921c-4e08-a112-3b6026a49b7a', '22222222-2222-2222-2222-222222222222', '1f36e477-7291-4a8c-b729-471c3c4517ab', 'processing', NULL, 'url', 'https://processing.example/', NULL, NULL, '8942c9785c4c4b06bd862f4a562140ee', '2026-11-16 05:52:59.043734+00', 1, 2, 'b4fd610f-63ed-4210-9b21-0225ff8e2b87', '2026-11-16 05:52:59.112849+00', '2026-11-16 05:53:29.112849+00', '2026-11-16 05:52:59.043734+00', '2026-11-16 05:52:59.112849+00', NULL, 0, '\xd12d3686ae48b9dbebb064608d401275fbfcc8e44954180b189561f14d83da34', NULL, NULL);
INSERT INTO public.libraries VALUES
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '11111111-1111-1111-1111-111111111111', 'My Library', true, '2026-11-16 05:52:54.237771+00', '2026-11-16 05:52:54.237771+00'),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '22222222-2222-2222-2222-222222222222', 'My Library', true, '2026-11-16 05:52:54.813785+00', '2026-11-16 05:52:54.813785+00');
INSERT INTO public.library_media VALUES
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', '2026-11-16 05:52:54.813785+00', 'web_article', 'succeeded', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '9826ae97-e9cf-4c04-89f2-2b196dfd46c1', '2026-11-16 05:52:55.398003+00', 'web_article', 'succeeded', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', 'e02030da-f402-4eae-a787-c43bd313678b', '2026-11-16 05:52:55.9745+00', 'web_article', 'needs_user_text', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '5fb7b8bc-2f90-4363-ab96-0a0da653e63b', '2026-11-16 05:52:56.198529+00', 'web_article', 'succeeded', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '67275948-ccae-48c9-b6b9-c197fc06c6e6', '2026-11-16 05:52:56.538371+00', 'web_article', 'succeeded', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '2f9b94a9-3feb-4057-9aac-e6f06b22e700', '2026-11-16 05:52:56.846236+00', 'web_article', 'needs_user_text', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', 'cb93122a-a612-4384-a284-1f796987ce1e', '2026-11-16 05:52:57.117602+00', 'web_article', 'needs_user_text', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '1c27aaa2-850d-4b24-8c7b-b8e976febe41', '2026-11-16 05:52:57.266369+00', 'pasted_text', 'succeeded', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '8e5a0fc1-1587-445a-a978-8e8ad213c60e', '2026-11-16 05:52:57.532733+00', 'web_article', 'failed', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '2879d101-3b95-4c10-8047-36e73d1ff3be', '2026-11-16 05:52:55.705053+00', 'web_article', 'succeeded', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71', '2026-11-16 05:52:58.357308+00', 'podcast_episode', 'succeeded', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '8ad4ce3f-2fab-4bc4-bed8-9ef2c5fba376', '2026-11-16 05:52:58.921004+00', 'web_article', 'queued', NULL),
	('0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', '1f36e477-7291-4a8c-b729-471c3c4517ab', '2026-11-16 05:52:59.043734+00', 'web_article', 'processing', NULL),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', '2026-11-16 05:52:54.237771+00', 'web_article', 'succeeded', '2026-11-16 05:52:59.346804+00'),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '6ed88f78-9241-4c4f-8843-0cd4483b84cd', '2026-11-16 05:52:57.012204+00', 'pasted_text', 'succeeded', '2026-11-16 05:52:59.493765+00'),
	('f424fe47-eeea-435e-89fd-639058ebbb2c', '6a26c4c9-bfed-4924-87e7-1c3663ab0900', '2026-11-16 05:52:58.206347+00', 'podcast_episode', 'succeeded', '2026-11-16 05:52:59.570298+00');
INSERT INTO public.media VALUES
	('5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://news.example/bridges', 'https://news.example/bridges', NULL, 'Old river bridge reopens after two winters of repair', 'Mara Lindqvist', 'The Valley Post', 'en', '2026-02-10 07:30:00+00', 'The stone bridge over the Elm river carried its first cars on Tuesday morning, twenty-six months after engineers found that the second pier had shifted by nine centimetres.', 156, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:54.430493+00', '2026-11-16 05:52:54.482349+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:54.237771+00', '2026-11-16 05:52:54.482349+00'),
	('2879d101-3b95-4c10-8047-36e73d1ff3be', 'web_article', NULL, '22222222-2222-2222-2222-222222222222', 'https://blog.example/post', 'https://blog.example/post', NULL, 'Story', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:57.851787+00', '2026-11-16 05:52:57.882066+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:57.820659+00', '2026-11-16 05:52:57.882066+00'),
	('9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://wiki.example/page', 'https://wiki.example/page', 'https://freepedia.test/wiki/Tidal_harmonic', 'Tidal harmonic', NULL, 'wiki.example', 'en', NULL, 'A tidal harmonic, also called a constituent, is one of the regular waves that together make up the tide at a place. Each has a period that follows from the motion of the Earth, the Moon and the Sun, and an amplitude and a phase that must be measured on the spot.[1]', 338, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:55.444708+00', '2026-11-16 05:52:55.475125+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:55.398003+00', '2026-11-16 05:52:55.475125+00'),
	('86e106ab-85df-4bf0-a263-122e0d18e778', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://wiki.example/page', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'pending', 0, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-16 05:52:58.104504+00', '2026-11-16 05:52:58.104504+00'),
	('6a26c4c9-bfed-4924-87e7-1c3663ab0900', 'podcast_episode', NULL, '11111111-1111-1111-1111-111111111111', NULL, NULL, NULL, 'Episode e-1', NULL, 'The Show', NULL, NULL, NULL, 9, 'https://show.example/cover.png', 'https://show.example/e-1.mp3', 'ready_for_reading', 0, NULL, '2026-11-16 05:52:58.206347+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:58.206347+00', '2026-11-16 05:52:58.206347+00'),
	('e02030da-f402-4eae-a787-c43bd313678b', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://short.example/', 'https://short.example/', NULL, 'Short', NULL, NULL, NULL, NULL, NULL, 8, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:56.058158+00', '2026-11-16 05:52:56.072124+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:55.9745+00', '2026-11-16 05:52:56.072124+00'),
	('fafa5b8c-5ed5-40f5-866a-7f542211fd71', 'podcast_episode', NULL, '11111111-1111-1111-1111-111111111111', NULL, NULL, NULL, 'Episode e-2', NULL, 'The Show', NULL, NULL, NULL, 9, 'https://show.example/cover.png', 'https://show.example/e-2.mp3', 'ready_for_reading', 0, NULL, '2026-11-16 05:52:58.357308+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:58.357308+00', '2026-11-16 05:52:58.357308+00'),
	('5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 'web_article', '22222222-2222-2222-2222-222222222222', '22222222-2222-2222-2222-222222222222', 'https://short.example/', NULL, NULL, 'Short', NULL, NULL, NULL, NULL, NULL, 8, NULL, NULL, 'ready_for_reading', 1, NULL, '2026-11-16 05:52:56.382489+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:56.382489+00', '2026-11-16 05:52:56.382489+00'),
	('8ad4ce3f-2fab-4bc4-bed8-9ef2c5fba376', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://queued.example/', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'pending', 0, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-16 05:52:58.921004+00', '2026-11-16 05:52:58.921004+00'),
	('67275948-ccae-48c9-b6b9-c197fc06c6e6', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://moved.example/a', NULL, NULL, 'Once', NULL, NULL, NULL, NULL, NULL, 8, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:56.607642+00', '2026-11-16 05:52:56.640837+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:56.538371+00', '2026-11-16 05:52:56.91491+00'),
	('2f9b94a9-3feb-4057-9aac-e6f06b22e700', 'web_article', NULL, '22222222-2222-2222-2222-222222222222', 'https://moved.example/a', 'https://moved.example/a', NULL, 'What the frost left standing', 'Ilse Marrow', 'moved.example', 'en', '2026-01-08 00:00:00+00', 'I lost the rosemary, both fuchsias and a fig that had no business being there in the first place. The kale, as ever, looks better for it.', 124, NULL, NULL, 'ready_for_reading', 1, '2026-11-16 05:52:56.90305+00', '2026-11-16 05:52:56.91491+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:56.846236+00', '2026-11-16 05:52:56.91491+00'),
	('6ed88f78-9241-4c4f-8843-0cd4483b84cd', 'pasted_text', '11111111-1111-1111-1111-111111111111', '11111111-1111-1111-1111-111111111111', NULL, NULL, NULL, 'My notes', NULL, NULL, NULL, NULL, 'First line. Second line with *stars*.', 8, NULL, NULL, 'ready_for_reading', 0, NULL, '2026-11-16 05:52:57.012204+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:57.012204+00', '2026-11-16 05:52:57.012204+00'),
	('cb93122a-a612-4384-a284-1f796987ce1e', 'web_article', NULL, '11111111-1111-1111-1111-111111111111', 'https://gone.example/1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'failed', 1, '2026-11-16 05:52:57.174075+00', NULL, '2026-11-16 05:52:57.218079+00', 'extract', 'E_INGEST_FAILED', 'http_404: The page is gone.', '2026-11-16 05:52:57.117602+00', '2026-11-16 05:52:57.218079+00'),
	('1f36e477-7291-4a8c-b729-471c3c4517ab', 'web_article', NULL, '22222222-2222-2222-2222-222222222222', 'https://processing.example/', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'extracting', 1, '2026-11-16 05:52:59.112849+00', NULL, NULL, NULL, NULL, NULL, '2026-11-16 05:52:59.043734+00', '2026-11-16 05:52:59.112849+00'),
	('1c27aaa2-850d-4b24-8c7b-b8e976febe41', 'pasted_text', '22222222-2222-2222-2222-222222222222', '22222222-2222-2222-2222-222222222222', NULL, NULL, NULL, 'Pasted over a failure.', NULL, NULL, NULL, NULL, 'Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure. Pasted over a failure.…', 120, NULL, NULL, 'ready_for_reading', 0, NULL, '2026-11-16 05:52:57.393778+00', NULL, NULL, NULL, NULL, '2026-11-16 05:52:57.393778+00', '2026-11-16 05:52:57.393778+00'),
	('8e5a0fc1-1587-445a-a978-8e8ad213c60e', 'web_article', NULL, '22222222-2222-2222-2222-222222222222', 'https://broken.example/', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'failed', 1, '2026-11-16 05:52:57.556686+00', NULL, '2026-11-16 05:52:57.558869+00', 'extract', 'E_INGEST_FAILED', 'internal_error: Something broke.', '2026-11-16 05:52:57.532733+00', '2026-11-16 05:52:57.558869+00');
INSERT INTO public.media_aliases VALUES
	('ff4e50bb-4274-441a-896a-b94b943c9d22', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3', '2026-11-16 05:52:54.963712+00', '22222222-2222-2222-2222-222222222222'),
	('88652572-7461-4ef2-ad1e-4811aa45429f', '5fb7b8bc-2f90-4363-ab96-0a0da653e63b', '2026-11-16 05:52:56.314045+00', '22222222-2222-2222-2222-222222222222'),
	('e02030da-f402-4eae-a787-c43bd313678b', '5fb7b8bc-2f90-4363-ab96-0a0da653e63b', '2026-11-16 05:52:56.382489+00', '22222222-2222-2222-2222-222222222222'),
	('cf8858d9-8206-4c42-8677-be1a771ad367', '1c27aaa2-850d-4b24-8c7b-b8e976febe41', '2026-11-16 05:52:57.393778+00', '22222222-2222-2222-2222-222222222222'),
	('20f9e09e-fd42-4db4-a0ee-13abf5b56bb7', '2879d101-3b95-4c10-8047-36e73d1ff3be', '2026-11-16 05:52:57.882066+00', '22222222-2222-2222-2222-222222222222');
INSERT INTO public.media_images VALUES
	('\x308c5623cf49b115960fc92999398d7d0471476b3ce0ee97c7e68a95e7e41456', '5a6ef4a6-e86d-4931-a3b6-d58565e801f3'),
	('\x6c93f10f1c174531e1b6a8a1520dfc468a680e58170adf9154a38079044f2304', '9826ae97-e9cf-4c04-89f2-2b196dfd46c1'),
	('\xeefa22023680b4e121f694b5ad71d8030278cb616b09981dbd5e62aedfc6eb3e', '6a26c4c9-bfed-4924-87e7-1c3663ab0900'),
	('\xeefa22023680b4e121f694b5ad71d8030278cb616b09981dbd5e62aedfc6eb3e', 'fafa5b8c-5ed5-40f5-866a-7f542211fd71');
INSERT INTO public.podcasts VALUES
	('517375f9-04dd-4dd5-bede-49355434b6b6', 'https://show.example/feed', '{}', 'The Show', NULL, 'en', NULL, NULL, NULL, '2026-11-16 05:52:58.441586+00', '2026-11-16 05:52:58.441586+00', NULL, NULL, 0, '2026-11-16 05:52:58.15828+00', '2026-11-16 05:52:58.441586+00');
INSERT INTO public.search_passages VALUES
	('5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 0, NULL, NULL, NULL, '''after'':5 ''bridge'':3 ''of'':8 ''old'':1 ''reopens'':4 ''repair'':9 ''river'':2 ''two'':6 ''winters'':7'),
	('5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 1, NULL, NULL, NULL, '''example'':7 ''lindqvist'':5 ''mara'':4 ''news'':6 ''post'':3 ''the'':1 ''valley'':2'),
	('5a6ef4a6-e86d-4931-a3b6-d58565e801f3', 2, 0, 0, 0, '''a'':48,62,107,120,132,136,150 ''after'':27 ''alone'':85 ''along'':99 ''and'':59,143,152 ''away'':61 ''bank'':9 ''because'':47 ''been'':147 ''bridge'':12 ''by'':36 ''came'':118 ''carried'':17,60 ''cars'':20 ''centimetres'':38 ''channel'':45 ''coffer'':53 ''crane'':63 ''crews'':39 ''crossings'':98,124 ''current'':157 ''cyclists'':134 ''dam'':54 ''day'':133 ''did'':78 ''drain'':42 ''east'':8 ''eastern'':44 ''elm'':15 ''engineer'':91 ''engineers'':28 ''fewer'':127 ''filled'':51 ''first'':19,57 ''flood'':50 ''footing'':74 ''for'':106,123 ''found'':29 ''from'':6,112,119 ''fund'':122 ''gain'':135 ''gravel'':84 ''had'':34,40 ''has'':93,146 ''in'':55 ''it'':81 ''its'':18,113 ''knew'':72 ''know'':80 ''lane'':138 ''lead'':90 ''meet'':155 ''metre'':151 ''months'':26 ''more'':66 ''morning'':23 ''national'':121 ''nine'':37 ''not'':79 ''of'':109 ''on'':3,21,83,95,139 ''other'':97 ''over'':13 ''own'':114 ''paid'':105 ''parapet'':145 ''pier'':33 ''platform'':64 ''project'':88 ''raised'':148 ''reserve'':115 ''rest'':117 ''river'':16 ''rules'':158 ''s'':89 ''said'':86 ''same'':101 ''second'':32 ''seen'':5 ''separate'':137 ''serve'':126 ''shallow'':76 ''shifted'':35 ''side'':142 ''site'':2 ''six'':25 ''spring'':49 ''stone'':11 ''stood'':82 ''survey'':70 ''ten'':129,153 ''than'':67,128 ''that'':30,125 ''the'':1,7,10,14,31,43,52,56,68,73,87,100,103,110,116,140,144,156 ''third'':108 ''thousand'':130 ''three'':96 ''to'':41,149,154 ''town'':104 ''tuesday'':4,22 ''twenty'':24 ''twice'':46 ''upstream'':141 ''valley'':102 ''vehicles'':131 ''was'':75 ''we'':71,77 ''who'':92 ''whole'':69 ''work'':111 ''worked'':94 ''worth'':65 ''year'':58'),
	('9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 0, NULL, NULL, NULL, '''harmonic'':2 ''tidal'':1'),
	('9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 1, NULL, NULL, NULL, '''example'':2,4 ''wiki'':1,3'),
	('9826ae97-e9cf-4c04-89f2-2b196dfd46c1', 2, 0, 0, 0, '''0'':94 ''00'':217 ''000'':215 ''041'':220 ''1'':74,97,140 ''12'':164,211,216,352 ''13'':224 ''15'':219 ''1867'':17,305 ''1965'':330 ''1971'':358 ''1988'':334 ''2'':138,143 ''2004'':345 ''23'':221 ''25'':226 ''28'':209 ''3'':145,318,353 ''30'':214 ''41'':342 ''42'':165,212 ''77'':354 ''82'':227 ''91'':355 ''93'':222 ''943'':225 ''984'':210 ''a'':9,22,27,42,46,65,99,108,114,131,170,185,228,239,307 ''above'':195 ''added'':234 ''afterwards'':325 ''alice'':333 ''all'':88 ''also'':25 ''amplitude'':63,112 ''amplitudes'':188 ''an'':62 ''analysis'':299 ''and'':58,61,64,116,125,173,251,271,312,326 ''appear'':254 ''are'':136,258,348 ''as'':286 ''at'':41,80,133,151,265 ''be'':3,69 ''before'':292 ''ben'':357 ''between'':123 ''books'':362 ''brass'':231,359 ''by'':181,237,300,337 ''called'':26 ''coastal'':350 ''coasts'':153 ''computers'':360 ''confused'':4 ''constituent'':28,115 ''constituents'':142,148,202,236 ''contents'':139 ''cos'':101 ''crank'':240 ''day'':132,172 ''degrees'':19 ''disturb'':248 ''diurnal'':192 ''dunmore'':332 ''each'':44,249 ''earth'':55 ''ebb'':278 ''eleven'':316 ''enough'':137,349 ''family'':287 ''field'':13 ''first'':15,298 ''flood'':274 ''follows'':49 ''for'':130 ''form'':183 ''four'':135,201,346 ''from'':50,306 ''given'':180 ''h'':91,93,205,207 ''half'':168 ''harbour'':339 ''harmonic'':7,12,24 ''harmonics'':301 ''harris'':343 ''has'':45 ''height'':76 ''here'':107 ''high'':282 ''history'':144,279 ''hour'':21 ''hourly'':310 ''hours'':166 ''hundred'':127 ''in'':189,289,304 ''is'':29,84,110,154,167,179,244 ''its'':119,161,174 ''k'':96,100,103,106,109,118 ''k1'':218 ''kept'':285,327 ''known'':296 ''lantern'':361 ''letters'':351 ''lunar'':158,171 ''m2'':155,208,270 ''m4'':263 ''machine'':229 ''machines'':319 ''made'':303 ''main'':141,147 ''make'':37 ''makes'':272 ''measured'':70 ''method'':294 ''months'':317 ''moon'':57 ''most'':152 ''motion'':52 ''must'':68 ''n'':98 ''name'':203 ''new'':252 ''nine'':124 ''not'':1 ''number'':184 ''numbers'':338 ''o1'':223 ''oceanography'':14,364 ''of'':8,31,53,77,87,89,113,128,163,169,176,187,200,230,260,269,281,309 ''okafor'':356 ''old'':262 ''omega'':102,117 ''on'':71 ''one'':30,126 ''ones'':198,253 ''other'':250 ''over'':321 ''p'':341,344 ''people'':315 ''per'':20 ''period'':47,162,206 ''phase'':66 ''physical'':363 ''place'':43 ''ports'':121,291 ''press'':340 ''principal'':157 ''publish'':122 ''ratio'':186 ''readings'':311 ''references'':146,331 ''regular'':33 ''runs'':264 ''s2'':213 ''sea'':134,243,336 ''secrets'':288 ''semidiurnal'':159,197 ''several'':290 ''shallow'':245 ''share'':175 ''shorter'':275 ''soon'':324 ''speed'':120,204,268 ''speeds'':199,256 ''spot'':73 ''stand'':194 ''string'':10 ''strongest'':150 ''sum'':86,95 ''sums'':259,323 ''sun'':60 ''t'':83,92,104 ''table'':16 ''tables'':280 ''ten'':235 ''than'':276 ''that'':35,48,67,233,257 ''the'':6,32,39,51,54,56,59,72,75,78,81,85,111,149,156,177,182,191,196,242,246,261,267,273,277,293,297,322,335 ''them'':90,129,328 ''tidal'':11,23 ''tide'':40 ''time'':82 ''to'':2 ''together'':36 ''took'':313,320 ''turning'':238 ''twice'':266 ''two'':314 ''unit'':18 ''until'':329 ''up'':38 ''varphi'':105 ''was'':295,302 ''water'':79,283 ''wave'':160 ''waves'':34,193,247,347 ''were'':284 ''wheels'':232 ''where'':241 ''which'':190 ''whole'':178 ''with'':5,255 ''year'':308'),
	('e02030da-f402-4eae-a787-c43bd313678b', 0, NULL, NULL, NULL, '''short'':1'),
	('e02030da-f402-4eae-a787-c43bd313678b', 1, NULL, NULL, NULL, '''example'':2 ''short'':1'),
	('e02030da-f402-4eae-a787-c43bd313678b', 2, 0, 0, 0, '''all'':5 ''are'':4 ''characters'':3 ''forty'':1 ''seven'':2 ''that'':6 ''there'':8 ''was'':7'),
	('5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 0, NULL, NULL, NULL, '''short'':1'),
	('5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 1, NULL, NULL, NULL, '''example'':2 ''short'':1'),
	('5fb7b8bc-2f90-4363-ab96-0a0da653e63b', 2, 0, 0, 0, '''all'':5 ''are'':4 ''characters'':3 ''forty'':1 ''seven'':2 ''that'':6 ''there'':8 ''was'':7'),
	('67275948-ccae-48c9-b6b9-c197fc06c6e6', 0, NULL, NULL, NULL, '''once'':1'),
	('67275948-ccae-48c9-b6b9-c197fc06c6e6', 1, NULL, NULL, NULL, '''example'':2 ''moved'':1'),
	('67275948-ccae-48c9-b6b9-c197fc06c6e6', 2, 0, 0, 0, '''enough'':3 ''it'':1 ''limit'':6 ''lower'':8 ''the'':5 ''was'':2,7 ''when'':4'),
	('2f9b94a9-3feb-4057-9aac-e6f06b22e700', 0, NULL, NULL, NULL, '''frost'':3 ''left'':4 ''standing'':5 ''the'':2 ''what'':1'),
	('2f9b94a9-3feb-4057-9aac-e6f06b22e700', 1, NULL, NULL, NULL, '''example'':2,6 ''ilse'':3 ''marrow'':4 ''moved'':1,5'),
	('2f9b94a9-3feb-4057-9aac-e6f06b22e700', 2, 0, 0, 0, '''a'':8,28,33,81,89 ''about'':103,112,123 ''air'':36 ''and'':7,41,98 ''april'':115 ''as'':22 ''asked'':102 ''at'':91 ''behind'':43 ''being'':14 ''better'':25 ''both'':5 ''business'':13 ''case'':53 ''cold'':35 ''corner'':94 ''cut'':80 ''did'':68 ''do'':74 ''does'':118 ''down'':65 ''downhill'':38 ''ever'':23 ''fig'':9 ''first'':18,45 ''for'':26 ''frost'':29 ''fuchsias'':6 ''gap'':82 ''gate'':90 ''had'':11 ''have'':79,101 ''hedge'':56,85 ''hedges'':124 ''i'':1,57,78,109,120 ''if'':106,116 ''in'':16,51,83,114 ''is'':31,54 ''it'':27,49,95,104,107,113,117 ''its'':92 ''kale'':21 ''keep'':60 ''like'':39 ''looks'':24,96 ''lost'':2 ''lowest'':93 ''meant'':72 ''my'':52 ''mystery'':34 ''neighbours'':100 ''no'':12 ''not'':32,69,119 ''odd'':97 ''of'':88 ''out'':63 ''place'':19 ''planted'':58 ''pocket'':30 ''rosemary'':4 ''runs'':37 ''shall'':110,121 ''sits'':42 ''so'':75 ''stops'':48 ''that'':10,47 ''the'':3,17,20,44,55,61,84,86,99 ''there'':15 ''thing'':46 ''this'':76 ''to'':59,73 ''twice'':105 ''water'':40 ''what'':66,70 ''which'':50 ''width'':87 ''wind'':62 ''works'':108 ''write'':64,111,122 ''year'':77 ''you'':67,71'),
	('6ed88f78-9241-4c4f-8843-0cd4483b84cd', 0, NULL, NULL, NULL, '''my'':1 ''notes'':2'),
	('6ed88f78-9241-4c4f-8843-0cd4483b84cd', 2, 0, 0, 0, '''first'':3 ''line'':4,6 ''my'':1 ''notes'':2 ''second'':5 ''stars'':8 ''with'':7'),
	('1c27aaa2-850d-4b24-8c7b-b8e976febe41', 0, NULL, NULL, NULL, '''a'':3 ''failure'':4 ''over'':2 ''pasted'':1'),
	('1c27aaa2-850d-4b24-8c7b-b8e976febe41', 2, 0, 0, 0, '''a'':3,7,11,15,19,23,27,31,35,39,43,47,51,55,59,63,67,71,75,79,83,87,91,95,99,103,107,111,115,119 ''failure'':4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120 ''over'':2,6,10,14,18,22,26,30,34,38,42,46,50,54,58,62,66,70,74,78,82,86,90,94,98,102,106,110,114,118 ''pasted'':1,5,9,13,17,21,25,29,33,37,41,45,49,53,57,61,65,69,73,77,81,85,89,93,97,101,105,109,113,117'),
	('2879d101-3b95-4c10-8047-36e73d1ff3be', 0, NULL, NULL, NULL, '''story'':1'),
	('2879d101-3b95-4c10-8047-36e73d1ff3be', 1, NULL, NULL, NULL, '''blog'':1 ''example'':2'),
	('2879d101-3b95-4c10-8047-36e73d1ff3be', 2, 0, 0, 0, '''else'':2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76,78,80,82,84,86,88,90,92,94,96,98,100,102,104,106,108,110,112,114,116,118,120,122,124,126,128,130,132,134,136,138,140,142,144,146,148,150,152,154,156,158,160,162,164,166,168,170,172,174,176,178,180 ''something'':1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63,65,67,69,71,73,75,77,79,81,83,85,87,89,91,93,95,97,99,101,103,105,107,109,111,113,115,117,119,121,123,125,127,129,131,133,135,137,139,141,143,145,147,149,151,153,155,157,159,161,163,165,167,169,171,173,175,177,179'),
	('6a26c4c9-bfed-4924-87e7-1c3663ab0900', 0, NULL, NULL, NULL, '''1'':3 ''e'':2 ''episode'':1'),
	('6a26c4c9-bfed-4924-87e7-1c3663ab0900', 1, NULL, NULL, NULL, '''show'':2 ''the'':1'),
	('6a26c4c9-bfed-4924-87e7-1c3663ab0900', 2, 0, 0, 3, '''1'':4 ''about'':7 ''bridges'':8 ''e'':3 ''goodbye'':9 ''it'':12 ''notes'':10 ''of'':11 ''talk'':6 ''to'':2 ''we'':5 ''welcome'':1'),
	('fafa5b8c-5ed5-40f5-866a-7f542211fd71', 0, NULL, NULL, NULL, '''2'':3 ''e'':2 ''episode'':1'),
	('fafa5b8c-5ed5-40f5-866a-7f542211fd71', 1, NULL, NULL, NULL, '''show'':2 ''the'':1'),
	('fafa5b8c-5ed5-40f5-866a-7f542211fd71', 2, 0, 0, 3, '''2'':4 ''about'':7 ''bridges'':8 ''e'':3 ''goodbye'':9 ''it'':12 ''notes'':10 ''of'':11 ''talk'':6 ''to'':2 ''we'':5 ''welcome'':1');
INSERT INTO public.search_waiting VALUES
	('67275948-ccae-48c9-b6b9-c197fc06c6e6'),
	('2879d101-3b95-4c10-8047-36e73d1ff3be');
INSERT INTO public.shelf_counts OVERRIDING SYSTEM VALUE VALUES
	(1, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(2, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', -1, false),
	(3, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', 1, false),
	(4, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', -1, false),
	(5, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'succeeded', 1, false),
	(12, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(13, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', -1, false),
	(14, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', 1, false),
	(15, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', -1, false),
	(16, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'succeeded', 1, false),
	(22, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(23, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', -1, false),
	(24, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', 1, false),
	(25, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'needs_user_text', 1, false),
	(26, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', -1, false),
	(36, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(37, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', -1, false),
	(38, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', 1, false),
	(39, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', -1, false),
	(40, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'succeeded', 1, false),
	(46, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'pasted_text', 'succeeded', 1, false),
	(47, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(48, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', -1, false),
	(49, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', 1, false),
	(50, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'needs_user_text', 1, false),
	(51, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'processing', -1, false),
	(66, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'needs_user_text', 2, false),
	(67, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'pasted_text', 'succeeded', 1, false),
	(68, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'succeeded', 2, false),
	(69, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'failed', 1, false),
	(70, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'needs_user_text', -1, false),
	(71, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'succeeded', 1, false),
	(72, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'processing', 1, false),
	(73, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'succeeded', -1, false),
	(74, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'processing', -1, false),
	(75, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'succeeded', 1, false),
	(76, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', 1, false),
	(77, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', 1, false),
	(78, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', 1, false),
	(79, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', -1, false),
	(80, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'queued', 1, false),
	(81, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'queued', 1, false),
	(82, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'queued', -1, false),
	(83, '0f1d8bf5-b23f-471a-95fc-5adb8b8adeee', 'web_article', 'processing', 1, false),
	(84, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'succeeded', 1, true),
	(85, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'web_article', 'succeeded', -1, false),
	(86, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'pasted_text', 'succeeded', -1, false),
	(87, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'pasted_text', 'succeeded', 1, true),
	(88, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', -1, false),
	(89, 'f424fe47-eeea-435e-89fd-639058ebbb2c', 'podcast_episode', 'succeeded', 1, true);
INSERT INTO public.users VALUES
	('11111111-1111-1111-1111-111111111111', '2026-11-16 05:52:54.237771+00'),
	('22222222-2222-2222-2222-222222222222', '2026-11-16 05:52:54.813785+00');
SELECT pg_catalog.setval('public.shelf_counts_id_seq', 89, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT pk_api_tokens PRIMARY KEY (id);
ALTER TABLE ONLY public.episode_aliases
    ADD CONSTRAINT pk_episode_aliases PRIMARY KEY (podcast_id, alias_sha256);
ALTER TABLE ONLY public.episode_removals
    ADD CONSTRAINT pk_episode_removals PRIMARY KEY (user_id, episode_id);
ALTER TABLE ONLY public.episodes
    ADD CONSTRAINT pk_episodes PRIMARY KEY (id);
ALTER TABLE ONLY public.extraction_attempts
    ADD CONSTRAINT pk_extraction_attempts PRIMARY KEY (id);
ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT pk_fragments PRIMARY KEY (id);
ALTER TABLE ONLY public.item_pastes
    ADD CONSTRAINT pk_item_pastes PRIMARY KEY (item_id);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT pk_items PRIMARY KEY (id);
ALTER TABLE ONLY public.libraries
    ADD CONSTRAINT pk_libraries PRIMARY KEY (id);
ALTER TABLE ONLY public.library_media
    ADD CONSTRAINT pk_library_media PRIMARY KEY (library_id, media_id);
ALTER TABLE ONLY public.media
    ADD CONSTRAINT pk_media PRIMARY KEY (id);
ALTER TABLE ONLY public.media_aliases
    ADD CONSTRAINT pk_media_aliases PRIMARY KEY (alias_id, user_id);
ALTER TABLE ONLY public.media_images
    ADD CONSTRAINT pk_media_images PRIMARY KEY (url_key, media_id);
ALTER TABLE ONLY public.podcasts
    ADD CONSTRAINT pk_podcasts PRIMARY KEY (id);
ALTER TABLE ONLY public.search_passages
    ADD CONSTRAINT pk_search_passages PRIMARY KEY (media_id, part);
ALTER TABLE ONLY public.search_waiting
    ADD CONSTRAINT pk_search_waiting PRIMARY KEY (media_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (id);
ALTER TABLE ONLY public.shelf_counts
    ADD CONSTRAINT pk_shelf_counts PRIMARY KEY (id);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT pk_workers PRIMARY KEY (id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT uq_api_tokens_id_user_id UNIQUE (id, user_id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT uq_api_tokens_secret_sha256 UNIQUE (secret_sha256);
ALTER TABLE ONLY public.extraction_attempts
    ADD CONSTRAINT uq_extraction_attempts_item_id_attempt_no UNIQUE (item_id, attempt_no);
ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT uq_fragments_media_id_idx UNIQUE (media_id, idx);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT uq_sessions_secret_sha256 UNIQUE (secret_sha256);
CREATE INDEX ix_api_tokens_user_id ON public.api_tokens USING btree (user_id);
CREATE INDEX ix_episode_aliases_episode_id ON public.episode_aliases USING btree (episode_id);
CREATE INDEX ix_episode_removals_episode_id ON public.episode_removals USING btree (episode_id);
CREATE INDEX ix_items_due ON public.items USING btree (due_at, id) WHERE (status = 'queued'::text);
CREATE INDEX ix_items_due_by_user ON public.items USING btree (user_id, due_at, id) WHERE (status = 'queued'::text);
CREATE INDEX ix_items_failed_by_url ON public.items USING btree (user_id, COALESCE(url_key, public.text_key(requested_url))) WHERE (status = ANY (ARRAY['needs_user_text'::text, 'failed'::text]));
CREATE INDEX ix_items_leases ON public.items USING btree (lease_until) WHERE (status = 'processing'::text);
CREATE INDEX ix_items_of_media ON public.items USING btree (media_id, user_id, created_at DESC, id DESC);
CREATE INDEX ix_items_shelf ON public.items USING btree (user_id, created_at DESC, id DESC);
CREATE INDEX ix_items_shelf_by_status ON public.items USING btree (user_id, status, created_at DESC, id DESC);
CREATE INDEX ix_libraries_owner_user_id ON public.libraries USING btree (owner_user_id);
CREATE INDEX ix_library_media_media_id ON public.library_media USING btree (media_id);
CREATE INDEX ix_library_media_shelf ON public.library_media USING btree (library_id, kind, status, created_at DESC, media_id DESC);
CREATE INDEX ix_library_media_unread ON public.library_media USING btree (library_id, kind, created_at DESC, media_id DESC) WHERE ((read_at IS NULL) AND (status = 'succeeded'::text));
CREATE INDEX ix_media_aliases_media_id ON public.media_aliases USING btree (media_id);
CREATE INDEX ix_media_aliases_user_id ON public.media_aliases USING btree (user_id);
CREATE INDEX ix_media_created_by_user_id ON public.media USING btree (created_by_user_id);
CREATE INDEX ix_media_images_media_id ON public.media_images USING btree (media_id);
CREATE INDEX ix_media_lead_image ON public.media USING btree (public.text_key(lead_image_url)) WHERE (lead_image_url IS NOT NULL);
CREATE INDEX ix_media_owner_user_id ON public.media USING btree (owner_user_id) WHERE (owner_user_id IS NOT NULL);
CREATE INDEX ix_search_passages_words ON public.search_passages USING gin (words);
CREATE INDEX ix_sessions_expires_at ON public.sessions USING btree (expires_at);
CREATE INDEX ix_sessions_token_id ON public.sessions USING btree (token_id);
CREATE INDEX ix_sessions_user_id ON public.sessions USING btree (user_id);
CREATE INDEX ix_shelf_counts_library_id ON public.shelf_counts USING btree (library_id);
CREATE UNIQUE INDEX uq_episodes_media_id ON public.episodes USING btree (media_id);
CREATE UNIQUE INDEX uq_episodes_podcast_guid ON public.episodes USING btree (podcast_id, public.text_key(guid));
CREATE UNIQUE INDEX uq_items_fetch_again_of ON public.items USING btree (fetch_again_of) WHERE (fetch_again_of IS NOT NULL);
CREATE UNIQUE INDEX uq_libraries_default ON public.libraries USING btree (owner_user_id) WHERE is_default;
CREATE UNIQUE INDEX uq_media_kind_canonical_url ON public.media USING btree (kind, public.text_key(canonical_url)) WHERE (canonical_url IS NOT NULL);
CREATE UNIQUE INDEX uq_podcasts_feed_url ON public.podcasts USING btree (public.text_key(feed_url));
CREATE TRIGGER extraction_attempts_never_change BEFORE UPDATE ON public.extraction_attempts FOR EACH ROW EXECUTE FUNCTION public.refuse_update();
CREATE TRIGGER fragments_never_change BEFORE UPDATE ON public.fragments FOR EACH ROW EXECUTE FUNCTION public.refuse_update();
CREATE TRIGGER items_pastes_are_private BEFORE INSERT OR UPDATE OF media_id, user_id ON public.items FOR EACH ROW EXECUTE FUNCTION public.refuse_item_of_foreign_paste();
CREATE TRIGGER items_ring_after_delete AFTER DELETE ON public.items REFERENCING OLD TABLE AS old_items FOR EACH STATEMENT EXECUTE FUNCTION public.ring_after_delete();
CREATE TRIGGER items_ring_after_insert AFTER INSERT ON public.items REFERENCING NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION public.ring_after_insert();
CREATE TRIGGER items_ring_after_update AFTER UPDATE ON public.items REFERENCING OLD TABLE AS old_items NEW TABLE AS new_items FOR EACH STATEMENT EXECUTE FUNCTION public.ring_after_update();
CREATE TRIGGER items_status_moves BEFORE UPDATE OF status ON public.items FOR EACH ROW WHEN (((old.status <> new.status) AND (((((((((old.status <> 'queued'::text) OR (new.status <> 'processing'::text)) AND ((old.status <> 'processing'::text) OR (new.status <> 'queued'::text))) AND ((old.status <> 'processing'::text) OR (new.status <> 'succeeded'::text))) AND ((old.status <> 'processing'::text) OR (new.status <> 'needs_user_text'::text))) AND ((old.status <> 'processing'::text) OR (new.status <> 'failed'::text))) AND ((old.status <> 'needs_user_text'::text) OR (new.status <> 'succeeded'::text))) AND ((old.status <> 'needs_user_text'::text) OR (new.status <> 'queued'::text))) AND ((old.status <> 'failed'::text) OR (new.status <> 'queued'::text))))) EXECUTE FUNCTION public.refuse_status_move('status');
CREATE TRIGGER keep_counts_changed AFTER UPDATE ON public.library_media REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION public.count_on_shelf();
CREATE TRIGGER keep_counts_gone AFTER DELETE ON public.library_media REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION public.count_on_shelf();
CREATE TRIGGER keep_counts_new AFTER INSERT ON public.library_media REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION public.count_on_shelf();
CREATE TRIGGER keep_images AFTER INSERT ON public.fragments FOR EACH ROW WHEN ((new.html_sanitized ~~ '%src="/media/image?url=%'::text)) EXECUTE FUNCTION public.note_images();
CREATE TRIGGER keep_no_media_of_a_fetch AFTER DELETE ON public.items FOR EACH ROW WHEN ((old.fetch_again_of IS NOT NULL)) EXECUTE FUNCTION public.drop_media_of_fetch();
CREATE TRIGGER keep_place BEFORE INSERT ON public.library_media FOR EACH ROW EXECUTE FUNCTION public.place_on_shelf();
CREATE TRIGGER keep_search_name AFTER INSERT ON public.media FOR EACH ROW WHEN ((num_nonnulls(new.title, new.byline, new.site_name) > 0)) EXECUTE FUNCTION public.note_new_name();
CREATE TRIGGER keep_search_renamed AFTER UPDATE ON public.media FOR EACH ROW WHEN (((((new.title IS DISTINCT FROM old.title) OR (new.byline IS DISTINCT FROM old.byline)) OR (new.site_name IS DISTINCT FROM old.site_name)) OR (new.canonical_url IS DISTINCT FROM old.canonical_url))) EXECUTE FUNCTION public.note_new_name();
CREATE TRIGGER keep_search_text AFTER INSERT ON public.fragments REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION public.note_new_text();
CREATE TRIGGER keep_shelf_changed AFTER UPDATE ON public.items REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION public.follow_changed_items();
CREATE TRIGGER keep_shelf_episode AFTER UPDATE OF processing_status ON public.media FOR EACH ROW WHEN (((new.kind = 'podcast_episode'::text) AND (new.processing_status <> old.processing_status))) EXECUTE FUNCTION public.follow_episode();
CREATE TRIGGER keep_shelf_gone AFTER DELETE ON public.items REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION public.follow_gone_items();
CREATE TRIGGER keep_shelf_new AFTER INSERT ON public.items REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION public.follow_new_items();
CREATE TRIGGER library_media_pastes_are_private BEFORE INSERT OR UPDATE ON public.library_media FOR EACH ROW EXECUTE FUNCTION public.refuse_foreign_paste_in_library();
CREATE CONSTRAINT TRIGGER media_ready_has_fragment AFTER INSERT OR UPDATE OF processing_status ON public.media DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.processing_status = 'ready_for_reading'::text)) EXECUTE FUNCTION public.require_fragment_when_ready();
CREATE TRIGGER media_ready_is_final BEFORE UPDATE OF processing_status ON public.media FOR EACH ROW WHEN (((old.kind = 'web_article'::text) AND (old.processing_status = 'ready_for_reading'::text) AND (new.processing_status <> 'ready_for_reading'::text))) EXECUTE FUNCTION public.refuse_status_move('processing_status');
CREATE CONSTRAINT TRIGGER media_ready_keeps_fragment AFTER DELETE ON public.fragments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.require_fragment_when_ready();
CREATE TRIGGER shelf_rings_for_changed AFTER UPDATE ON public.library_media FOR EACH ROW WHEN (((new.kind = 'podcast_episode'::text) AND (new.status <> old.status))) EXECUTE FUNCTION public.tell_of_episode();
CREATE TRIGGER shelf_rings_for_gone AFTER DELETE ON public.library_media FOR EACH ROW WHEN ((old.kind = 'podcast_episode'::text)) EXECUTE FUNCTION public.tell_of_episode();
CREATE TRIGGER shelf_rings_for_new AFTER INSERT ON public.library_media FOR EACH ROW WHEN ((new.kind = 'podcast_episode'::text)) EXECUTE FUNCTION public.tell_of_episode();
CREATE TRIGGER touch BEFORE UPDATE ON public.episodes FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON public.item_pastes FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON public.items FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON public.libraries FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON public.media FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
CREATE TRIGGER touch BEFORE UPDATE ON public.podcasts FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT fk_api_tokens_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.episode_aliases
    ADD CONSTRAINT fk_episode_aliases_episode_id FOREIGN KEY (episode_id) REFERENCES public.episodes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.episode_aliases
    ADD CONSTRAINT fk_episode_aliases_podcast_id FOREIGN KEY (podcast_id) REFERENCES public.podcasts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.episode_removals
    ADD CONSTRAINT fk_episode_removals_episode_id FOREIGN KEY (episode_id) REFERENCES public.episodes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.episode_removals
    ADD CONSTRAINT fk_episode_removals_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.episodes
    ADD CONSTRAINT fk_episodes_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.episodes
    ADD CONSTRAINT fk_episodes_podcast_id FOREIGN KEY (podcast_id) REFERENCES public.podcasts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.extraction_attempts
    ADD CONSTRAINT fk_extraction_attempts_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.fragments
    ADD CONSTRAINT fk_fragments_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.item_pastes
    ADD CONSTRAINT fk_item_pastes_item_id FOREIGN KEY (item_id) REFERENCES public.items(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_fetch_again_of FOREIGN KEY (fetch_again_of) REFERENCES public.items(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_media_id FOREIGN KEY (media_id) REFERENCES public.media(id);
ALTER TABLE ONLY public.items
    ADD CONSTRAINT fk_items_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.libraries
    ADD CONSTRAINT fk_libraries_owner_user_id FOREIGN KEY (owner_user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.library_media
    ADD CONSTRAINT fk_library_media_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.library_media
    ADD CONSTRAINT fk_library_media_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.media_aliases
    ADD CONSTRAINT fk_media_aliases_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.media_aliases
    ADD CONSTRAINT fk_media_aliases_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.media
    ADD CONSTRAINT fk_media_created_by_user_id FOREIGN KEY (created_by_user_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.media_images
    ADD CONSTRAINT fk_media_images_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.media
    ADD CONSTRAINT fk_media_owner_user_id FOREIGN KEY (owner_user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_passages
    ADD CONSTRAINT fk_search_passages_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.search_waiting
    ADD CONSTRAINT fk_search_waiting_media_id FOREIGN KEY (media_id) REFERENCES public.media(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_token_id FOREIGN KEY (token_id, user_id) REFERENCES public.api_tokens(id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_user_id FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.shelf_counts
    ADD CONSTRAINT fk_shelf_counts_library_id FOREIGN KEY (library_id) REFERENCES public.libraries(id) ON DELETE CASCADE;
