-- Tags, and what has them, for an outside data warehouse. It knows kinds of subjects by oVirt's numbers: 2 is a VM, 3 a host,
-- 18 a tag. The root is no tag here: the tags below it have no parent.

DROP VIEW IF EXISTS tags;

CREATE VIEW tags AS
SELECT tag_id
  FROM tag;

COMMENT ON VIEW tags IS 'Keys of tags. A data warehouse finds removed tags by them.';

SELECT grant_reading('tags');
SELECT grant_to('stillwater_dwh', 'SELECT', 'tags');

DROP VIEW IF EXISTS dwh_tags_details_history_view;

CREATE VIEW dwh_tags_details_history_view AS
SELECT tag_id,
       name AS tag_name,
       description AS tag_description,
       created_at AS create_date,
       changed_at AS update_date
  FROM tag
 WHERE coalesce(changed_at, created_at) > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_tags_details_history_view IS 'Tags that are new or changed since a data warehouse has last read.';

SELECT grant_reading('dwh_tags_details_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_tags_details_history_view');

DROP VIEW IF EXISTS dwh_add_tags_relations_history_view;

CREATE VIEW dwh_add_tags_relations_history_view AS
SELECT tag_id AS entity_id,
       18::smallint AS entity_type,
       parent_id,
       created_at AS attach_date,
       changed_at AS move_date
  FROM tag
 WHERE coalesce(changed_at, created_at) > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync')
 UNION ALL
SELECT host_id, 3::smallint, tag_id, attached_at, NULL
  FROM tag_host
 WHERE attached_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync')
 UNION ALL
SELECT vm_guid, 2::smallint, tag_id, attached_at, NULL
  FROM tag_vm
 WHERE attached_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_add_tags_relations_history_view IS 'Assignments of tags to tags, hosts and VMs that are new or changed since a data warehouse has last read.';

SELECT grant_reading('dwh_add_tags_relations_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_add_tags_relations_history_view');

DROP VIEW IF EXISTS dwh_remove_tags_relations_history_view;

CREATE VIEW dwh_remove_tags_relations_history_view AS
SELECT tag_id AS entity_id, parent_id
  FROM tag
 UNION ALL
SELECT host_id, tag_id
  FROM tag_host
 UNION ALL
SELECT vm_guid, tag_id
  FROM tag_vm;

COMMENT ON VIEW dwh_remove_tags_relations_history_view IS 'All assignments of tags to tags, hosts and VMs. A data warehouse finds removed ones by them.';

SELECT grant_reading('dwh_remove_tags_relations_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_remove_tags_relations_history_view');
