package org.stillwater.benchmarks.scale;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Requests that no client should send: paths and parameters put together at random, searches from
 * the words of their language, and bodies that are right but for some bytes. The same seed makes
 * the same requests. Used by one thread.
 *
 * <p>It is long because the shapes of requests stand beside the words that fill them.
 */
final class FuzzRequests {

    /**
     * A request.
     *
     * @param text as it goes over the wire, one byte a character
     * @param head whether its answer has no body, with any headers
     */
    record Request(String text, boolean head) {}

    private static final List<String> NATIVE =
            List.of(
                    "/api/v1/vms",
                    "/api/v1/vms/ID",
                    "/api/v1/vms/ID/statistics",
                    "/api/v1/vms/ID/history",
                    "/api/v1/vms/ID/start",
                    "/api/v1/vms/ID/definition",
                    "/api/v1/vms:batch",
                    "/api/v1/hosts",
                    "/api/v1/hosts/ID",
                    "/api/v1/hosts/ID/fence-agents",
                    "/api/v1/clusters",
                    "/api/v1/clusters/ID",
                    "/api/v1/data-centres",
                    "/api/v1/events",
                    "/api/v1/operations",
                    "/api/v1/operations/ID",
                    "/api/v1/work",
                    "/api/v1/pools",
                    "/api/v1/affinity-groups",
                    "/api/v1/users",
                    "/api/v1/tokens",
                    "/api/v1/me",
                    "/api/v1/statistics/vms",
                    "/api/v1/statistics/hosts",
                    "/api/v1/openapi.json",
                    "/metrics/vms",
                    "/metrics/hosts",
                    "/actuator/health",
                    "/ovirt-engine/sso/oauth/token",
                    "/ovirt-engine/services/sso-logout",
                    "/ovirt-engine/services/pki-resource",
                    "/ca.crt");

    private static final List<String> NATIVE_NAMES =
            List.of(
                    "limit",
                    "cursor",
                    "sort",
                    "fields",
                    "status",
                    "name",
                    "host",
                    "cluster",
                    "since",
                    "age",
                    "cpuAbove",
                    "from",
                    "format",
                    "shard",
                    "step",
                    "metric",
                    "resource",
                    "grant_type",
                    "username",
                    "scope",
                    "");

    private static final List<String> OVIRT =
            List.of(
                    "",
                    "/",
                    "//",
                    "/v4/vms",
                    "/v9/vms",
                    "/vms",
                    "//vms",
                    "/vms/ID",
                    "/vms/ID/nics",
                    "/vms/ID/nics/ID/statistics",
                    "/vms/ID/statistics",
                    "/vms/ID/diskattachments",
                    "/vms/ID/snapshots",
                    "/vms/ID/snapshots/ID/disks",
                    "/vms/ID/graphicsconsoles/766e63",
                    "/vms/ID/cdroms/ID",
                    "/vms/ID/numanodes",
                    "/vms/ID/start/ID",
                    "/hosts",
                    "/hosts/ID",
                    "/hosts/ID/nics",
                    "/hosts/ID/statistics",
                    "/hosts/ID/numanodes",
                    "/hosts/ID/fenceagents",
                    "/clusters",
                    "/clusters/ID/affinitygroups",
                    "/datacenters",
                    "/datacenters/ID/storagedomains",
                    "/disks",
                    "/disks/ID/statistics",
                    "/storagedomains",
                    "/storagedomains/ID/disks",
                    "/events",
                    "/events/17",
                    "/events/-1",
                    "/jobs",
                    "/jobs/ID/steps/ID/statistics",
                    "/templates",
                    "/networks",
                    "/vnicprofiles",
                    "/vmpools",
                    "/users",
                    "/groups",
                    "/roles",
                    "/permissions",
                    "/tags",
                    "/options/MaxNumOfVmCpus",
                    "/operatingsystems",
                    "/icons/ID",
                    "/nowhere",
                    "/vms/ID/nowhere",
                    "/vms/../hosts",
                    "/vms;max=x/ID");

    private static final List<String> OVIRT_CHANGES =
            List.of(
                    "/vms",
                    "/vms/ID",
                    "/vms/ID/start",
                    "/vms/ID/stop",
                    "/vms/ID/shutdown",
                    "/vms/ID/reboot",
                    "/vms/ID/reset",
                    "/vms/ID/suspend",
                    "/vms/ID/migrate",
                    "/vms/ID/cancelmigration",
                    "/vms/ID/detach",
                    "/vms/ID/ticket",
                    "/vms/ID/clone",
                    "/vms/ID/nics/ID/activate",
                    "/hosts/ID/activate",
                    "/hosts/ID/refresh",
                    "/hosts/ID/fence",
                    "/hosts/ID/install",
                    "/vmpools",
                    "/vmpools/ID",
                    "/vmpools/ID/allocatevm",
                    "/events",
                    "/events/undelete",
                    "/events/17",
                    "/jobs/ID/clear",
                    "/jobs/ID/end",
                    "/clusters",
                    "/templates/ID",
                    "/reloadconfigurations",
                    "/nowhere");

    private static final List<String> OVIRT_NAMES =
            List.of(
                    "search",
                    "max",
                    "follow",
                    "from",
                    "case_sensitive",
                    "filter",
                    "all_content",
                    "detail",
                    "current",
                    "async",
                    "accept",
                    "next_run",
                    "correlation_id",
                    "");

    private static final List<String> FOLLOWS =
            List.of(
                    "statistics",
                    "nics",
                    "nics.statistics",
                    "nics.reporteddevices",
                    "disk_attachments.disk.permissions",
                    "cluster",
                    "host",
                    "..",
                    ".",
                    ",",
                    "nics..nics",
                    "a.b.c.d.e.f.g.h",
                    "permissions",
                    "STATISTICS",
                    "vm",
                    "snapshots.disks",
                    "template.cluster");

    private static final List<String> WORDS =
            List.of(
                    "name",
                    "status",
                    "cluster",
                    "host",
                    "hosts.name",
                    "events.severity",
                    "cpu_usage",
                    "uptime",
                    "creationdate",
                    "tag",
                    "memory",
                    "severity",
                    "time",
                    "nonsense",
                    "=",
                    "!=",
                    "<",
                    ">",
                    "<=",
                    ">=",
                    "and",
                    "or",
                    "AND",
                    "sortby",
                    "asc",
                    "desc",
                    "page",
                    "1",
                    "0",
                    "-1",
                    "99999999999999999999",
                    "up",
                    "PoweringUp",
                    "vm*",
                    "*",
                    "\"",
                    "\"a b\"",
                    "'",
                    ";",
                    "(",
                    ")",
                    "%",
                    "_",
                    "2026-01-01",
                    "today",
                    "1d",
                    "\\",
                    "\u0000",
                    "日本",
                    "\uD83D\uDE00",
                    "a".repeat(300),
                    "[",
                    ".",
                    "name=",
                    "=x");

    private static final List<String> VALUES =
            List.of(
                    "",
                    "1",
                    "-1",
                    "0",
                    "99999999999999999999",
                    "NaN",
                    "1e309",
                    "name",
                    "-cpu,name",
                    "%00",
                    "%FF%FE",
                    "%",
                    "%zz",
                    "'%20or%201=1--",
                    "*",
                    "(((((((((((((((((",
                    "..%2F..%2Fetc%2Fpasswd",
                    "%F0%9F%92%A9",
                    "a%0d%0aX-Injected:%201",
                    "eyJhIjoxfQ",
                    "W10",
                    "statistics,,,nics",
                    "true",
                    "2026-13-45T99:99:99Z",
                    "-99999d",
                    "{}",
                    "[",
                    "3/2",
                    "0/0",
                    "application/json",
                    "main+statistics-main");

    private static final List<String> BODIES =
            List.of(
                    "",
                    "<action/>",
                    "{}",
                    "null",
                    "[[[[[[]]]]]]",
                    "<action><async>true</async><force>false</force><reason>why</reason></action>",
                    "<action><host><name>host-0001</name></host><cluster id=\"x\"/></action>",
                    "<action><fence_type>status</fence_type></action>",
                    "<action><ticket><value>secret12</value><expiry>60</expiry></ticket></action>",
                    "<action><grace_period><expiry>1000</expiry></grace_period></action>",
                    "<vm><name>fuzzed</name><memory>536870912</memory><cpu><topology><cores>2</cores>"
                        + "<sockets>1</sockets></topology></cpu><nics><nic><name>nic1</name><mac>"
                        + "<address>56:6f:1a:00:00:01</address></mac></nic></nics><os><boot>"
                        + "<devices><device>hd</device></devices></boot></os><custom_properties>"
                        + "<custom_property><name>a</name><value>b</value></custom_property>"
                        + "</custom_properties><time_zone><name>Etc/GMT</name></time_zone></vm>",
                    "{\"name\":\"fuzzed\",\"memory\":\"536870912\",\"memory_policy\":{\"guaranteed\":"
                        + "\"268435456\",\"max\":1073741824},\"high_availability\":{\"enabled\":\"true\","
                        + "\"priority\":\"50\"},\"description\":\"d\",\"comment\":\"c\",\"display\":"
                        + "{\"type\":\"vnc\"},\"bios\":{\"type\":\"q35_ovmf\"}}",
                    "<vm_pool><name>pool</name><size>2</size><max_user_vms>1</max_user_vms>"
                            + "<prestarted_vms>1</prestarted_vms></vm_pool>",
                    "<event><origin>fuzz</origin><severity>warning</severity><custom_id>7</custom_id>"
                        + "<description>text</description></event>",
                    "{\"origin\":\"fuzz\",\"severity\":\"alert\",\"custom_id\":7,\"description\":\"text\"}",
                    "{\"async\":\"false\",\"host\":{\"id\":\"00000000-0000-0000-0000-000000000000\"}}",
                    "{\"vms\":[\"00000000-0000-0000-0000-000000000000\"],\"action\":\"start\"}",
                    "{\"name\":\"fuzzed\",\"memoryMebibytes\":512,\"disks\":[{\"place\":{\"kind\":\"file\","
                        + "\"path\":\"/x\"}}],\"firmware\":\"uefi\",\"timeZone\":\"Europe/Berlin\"}",
                    "{\"user\":\"fuzz@internal\",\"password\":\"a-long-password-1\",\"grants\":"
                            + "[{\"role\":\"reader\"}]}",
                    "grant_type=password&scope=ovirt-app-api&username=fuzz@internal&password=x",
                    "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><action><reason>&e;"
                            + "</reason></action>",
                    "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><vm><name>&b;"
                            + "</name></vm>",
                    "\u0000\u0001\u0002");

    private static final List<String> PIECES =
            List.of(
                    "<",
                    ">",
                    "</",
                    "&",
                    "&amp;",
                    "&#0;",
                    "]]>",
                    "<!--",
                    "<![CDATA[",
                    "{",
                    "}",
                    "[",
                    "]",
                    "\"",
                    ",",
                    ":",
                    "\\u0000",
                    "\\ud800",
                    "\u0000",
                    "\u00ff\u00fe",
                    "null",
                    "-1",
                    "1e400",
                    "99999999999999999999",
                    "true",
                    "''",
                    " ",
                    "\r\n",
                    "<a>");

    private static final List<String> HEADERS =
            List.of(
                    "Accept: */*",
                    "Accept: application/xml",
                    "Accept: application/json",
                    "Accept: image/png",
                    "Accept: application/x-virt-viewer",
                    "Accept: application/json; detail=statistics+nics",
                    "Accept: ;;q=",
                    "Accept: text/csv;q=2",
                    "Accept-Language: x-%-*",
                    "If-None-Match: *",
                    "If-None-Match: \"\"",
                    "If-None-Match: W/",
                    "Accept-Encoding: gzip;q=x",
                    "Accept-Encoding: gzip",
                    "Range: bytes=0-",
                    "Authorization: Basic ???",
                    "Authorization: Basic YWRtaW46",
                    "Authorization: Bearer",
                    "Cookie: JSESSIONID=\"",
                    "X-Correlation-Id: \u00e9",
                    "Correlation-Id: a b",
                    "Prefer: persistent-auth, csrf-protection, =",
                    "Session-TTL: -1",
                    "Version: x",
                    "Version: 4",
                    "Filter: true",
                    "Filter: maybe",
                    "All-Content: 2",
                    "Origin: null",
                    "X-HTTP-Method-Override: TRACE",
                    "Expect: nothing",
                    "Expect: 202-accepted",
                    "X-Ovirt-Expect: 201-created",
                    "X-Forwarded-For: ::1, x",
                    "Last-Event-ID: x");

    private static final List<String> TYPES =
            List.of(
                    "application/xml",
                    "application/json",
                    "application/json;charset=nonsense",
                    "application/x-www-form-urlencoded",
                    "text/xml",
                    ";;;");

    private final Random random;
    private final List<String> ids;

    FuzzRequests(long seed, List<String> ids) {
        this.random = new Random(seed);
        this.ids = List.copyOf(ids);
    }

    Request next() {
        return switch (random.nextInt(4)) {
            case 0 -> read("/ovirt-engine/api" + one(OVIRT), OVIRT_NAMES);
            case 1 -> change("/ovirt-engine/api" + one(OVIRT_CHANGES), OVIRT_NAMES);
            case 2 -> change(one(NATIVE), NATIVE_NAMES);
            default -> read(one(NATIVE), NATIVE_NAMES);
        };
    }

    private Request read(String path, List<String> names) {
        String method =
                switch (random.nextInt(8)) {
                    case 0 -> "HEAD";
                    case 1 -> "OPTIONS";
                    default -> "GET";
                };
        return new Request(begun(method, path, names) + "\r\n", method.equals("HEAD"));
    }

    private Request change(String path, List<String> names) {
        String method =
                switch (random.nextInt(8)) {
                    case 0, 1 -> "PUT";
                    case 2 -> "DELETE";
                    case 3 -> "PATCH";
                    default -> "POST";
                };
        String body = body();
        StringBuilder text = new StringBuilder(begun(method, path, names));
        if (random.nextInt(4) > 0) {
            String honest = body.startsWith("<") ? "application/xml" : "application/json";
            text.append("Content-Type: ")
                    .append(random.nextInt(4) == 0 ? one(TYPES) : honest)
                    .append("\r\n");
        }
        text.append("Content-Length: ").append(body.length()).append("\r\n\r\n").append(body);
        return new Request(text.toString(), false);
    }

    private String begun(String method, String path, List<String> names) {
        StringBuilder target = new StringBuilder();
        int at = path.indexOf("ID");
        int from = 0;
        for (; at >= 0; at = path.indexOf("ID", from)) {
            target.append(path, from, at).append(one(ids));
            from = at + 2;
        }
        target.append(path.substring(from));
        int parameters = random.nextInt(4);
        for (int i = 0; i < parameters; i++) {
            String name = one(names);
            target.append(i == 0 ? '?' : '&')
                    .append(name)
                    .append(random.nextInt(10) == 0 ? "" : "=")
                    .append(value(name));
        }
        StringBuilder text = new StringBuilder(method);
        text.append(' ').append(target).append(" HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        for (int headers = random.nextInt(3); headers > 0; headers--) {
            text.append(one(HEADERS)).append("\r\n");
        }
        return text.toString();
    }

    private String value(String name) {
        if (name.equals("search") && random.nextInt(5) > 0) {
            StringBuilder search = new StringBuilder();
            for (int words = random.nextInt(9); words >= 0; words--) {
                search.append(one(WORDS)).append(random.nextInt(4) == 0 ? "" : " ");
            }
            return URLEncoder.encode(search.toString(), StandardCharsets.UTF_8);
        }
        if (name.equals("follow") && random.nextInt(5) > 0) {
            return one(FOLLOWS) + (random.nextBoolean() ? "," + one(FOLLOWS) : "");
        }
        return one(VALUES);
    }

    /** One that is right, or was. Of one byte a character. */
    private String body() {
        String body = one(BODIES);
        for (int changes = random.nextInt(4); changes > 0 && !body.isEmpty(); changes--) {
            int at = random.nextInt(body.length());
            int to = at + random.nextInt(Math.min(20, body.length() - at) + 1);
            body =
                    switch (random.nextInt(6)) {
                        case 0 -> body.substring(0, at);
                        case 1 -> body.substring(0, at) + body.substring(to);
                        case 2 -> body.substring(0, at) + one(PIECES) + body.substring(at);
                        case 3 -> body.substring(0, at) + one(PIECES) + body.substring(to);
                        case 4 ->
                                body.substring(0, to)
                                        + body.substring(at, to).repeat(random.nextInt(200))
                                        + body.substring(to);
                        default ->
                                body.substring(0, at)
                                        + (char) random.nextInt(256)
                                        + body.substring(Math.min(at + 1, body.length()));
                    };
        }
        return body;
    }

    private String one(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }
}
