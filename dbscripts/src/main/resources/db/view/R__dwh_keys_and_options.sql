-- What an outside data warehouse reads by the names of oVirt's own tables: keys, by which it finds out what is gone, users,
-- and the few options that it asks for. Nothing here comes near a password.

DROP VIEW IF EXISTS vds_static;

CREATE VIEW vds_static AS
SELECT host_id AS vds_id
  FROM host_static;

COMMENT ON VIEW vds_static IS 'Hosts, under the name that oVirt''s data warehouse reads.';

SELECT grant_reading('vds_static');
SELECT grant_to('stillwater_dwh', 'SELECT', 'vds_static');

DROP VIEW IF EXISTS storage_pool;

CREATE VIEW storage_pool AS
SELECT data_centre_id AS id
  FROM data_centre;

COMMENT ON VIEW storage_pool IS 'Data centres, under the name that oVirt''s data warehouse reads.';

SELECT grant_reading('storage_pool');
SELECT grant_to('stillwater_dwh', 'SELECT', 'storage_pool');

DROP VIEW IF EXISTS users;

CREATE VIEW users AS
SELECT user_id
  FROM engine_user;

COMMENT ON VIEW users IS 'Users, under the name that oVirt''s data warehouse reads.';

SELECT grant_to('stillwater_dwh', 'SELECT', 'users');

DROP VIEW IF EXISTS dwh_users_history_view;

CREATE VIEW dwh_users_history_view AS
SELECT user_id,
       ''::text AS first_name,
       ''::text AS last_name,
       CASE WHEN name LIKE '%@%' THEN left(substring(name FROM '[^@]*$'), 255) ELSE '' END AS domain,
       left(regexp_replace(name, '@[^@]*$', ''), 255) AS username,
       ''::text AS department,
       ''::text AS user_role_title,
       ''::text AS email,
       user_id::text AS external_id,
       enabled AS active,
       created_at AS create_date,
       NULL::timestamptz AS update_date
  FROM engine_user
 WHERE created_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_users_history_view IS 'Users that are new since a data warehouse has last read: login and profile. Columns that only a directory of users could fill are empty.';

SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_users_history_view');

DROP VIEW IF EXISTS vdc_options;

CREATE VIEW vdc_options AS
SELECT o.option_id,
       o.option_name::varchar(100) AS option_name,
       o.option_value::varchar(4000) AS option_value,
       'general'::varchar(40) AS version
  FROM (VALUES (1, 'MinimalETLVersion', '4.5.0'),
               (2, 'DisconnectDwh', '0')) AS o (option_id, option_name, option_value);

COMMENT ON VIEW vdc_options IS 'Configuration that oVirt''s data warehouse reads: the least version that may read this database, and whether it must stop (0 for no).';

SELECT grant_reading('vdc_options');
SELECT grant_to('stillwater_dwh', 'SELECT', 'vdc_options');

DROP VIEW IF EXISTS dwh_osinfo;

CREATE VIEW dwh_osinfo AS
SELECT 0 AS os_id,
       'Other OS'::varchar(255) AS os_name;

COMMENT ON VIEW dwh_osinfo IS 'Names of operating systems in definitions of VMs: one row. Reports of guests are in vm_dynamic.';

SELECT grant_reading('dwh_osinfo');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_osinfo');
