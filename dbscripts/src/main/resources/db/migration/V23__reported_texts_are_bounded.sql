-- What guests and hosts reported before texts were bounded and cleaned where they are decoded: rows of megabytes, and
-- characters that forge or hide. Cut and cleaned here, so that they do not stay until the text changes. The next poll
-- corrects what differs from the decoder's own cut. JSON cannot be cut; it is forgotten until the next poll. So are addresses,
-- joined by blanks, of which the last would be half of one; the interfaces that they come from go with them, with their
-- digest, or the next poll would find nothing changed.

CREATE FUNCTION reported_text(reported text, most integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(regexp_replace(regexp_replace(reported, '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', ' ', 'g'),
                               '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]', '', 'g'),
                most)
$$;

DELETE FROM vm_guest_agent_interfaces AS g
 USING vm_dynamic AS d
 WHERE d.vm_guid = g.vm_guid
   AND length(d.vm_ip) > 16384;

UPDATE vm_dynamic AS d
   SET exit_message           = reported_text(exit_message, 4000),
       client_ip              = reported_text(client_ip, 255),
       current_cd             = reported_text(current_cd, 4000),
       spice_ip               = reported_text(spice_ip, 255),
       vnc_ip                 = reported_text(vnc_ip, 255),
       last_watchdog_action   = reported_text(last_watchdog_action, 255),
       guest_cur_user_name    = reported_text(guest_cur_user_name, 255),
       app_list               = reported_text(app_list, 65536),
       vm_fqdn                = reported_text(vm_fqdn, 255),
       vm_host                = reported_text(vm_host, 255),
       guest_os               = reported_text(guest_os, 255),
       guestos_type           = reported_text(guestos_type, 255),
       guestos_arch           = reported_text(guestos_arch, 255),
       guestos_kernel_version = reported_text(guestos_kernel_version, 255),
       guestos_distribution   = reported_text(guestos_distribution, 255),
       guestos_version        = reported_text(guestos_version, 255),
       guestos_codename       = reported_text(guestos_codename, 255),
       guest_timezone_name    = reported_text(guest_timezone_name, 255),
       guest_containers       = CASE WHEN length(guest_containers) > 65536 THEN NULL ELSE guest_containers END,
       vm_ip                  = CASE WHEN length(vm_ip) > 16384 THEN NULL ELSE vm_ip END,
       guest_agent_nics_hash  = CASE WHEN length(vm_ip) > 16384 THEN 0 ELSE guest_agent_nics_hash END
 WHERE length(guest_containers) > 65536
    OR length(vm_ip) > 16384
    OR (ROW(exit_message, client_ip, current_cd, spice_ip, vnc_ip, last_watchdog_action, guest_cur_user_name,
        app_list, vm_fqdn, vm_host, guest_os, guestos_type, guestos_arch, guestos_kernel_version,
        guestos_distribution, guestos_version, guestos_codename, guest_timezone_name)
        IS DISTINCT FROM ROW(reported_text(exit_message, 4000), reported_text(client_ip, 255),
            reported_text(current_cd, 4000), reported_text(spice_ip, 255), reported_text(vnc_ip, 255),
            reported_text(last_watchdog_action, 255), reported_text(guest_cur_user_name, 255),
            reported_text(app_list, 65536), reported_text(vm_fqdn, 255), reported_text(vm_host, 255),
            reported_text(guest_os, 255), reported_text(guestos_type, 255), reported_text(guestos_arch, 255),
            reported_text(guestos_kernel_version, 255), reported_text(guestos_distribution, 255),
            reported_text(guestos_version, 255), reported_text(guestos_codename, 255),
            reported_text(guest_timezone_name, 255)));

DROP FUNCTION reported_text(text, integer);
