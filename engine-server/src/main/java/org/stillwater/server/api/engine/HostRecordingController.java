package org.stillwater.server.api.engine;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.recording.HostRecordings;
import org.stillwater.server.security.AuditedAs;
import tools.jackson.databind.JsonNode;

/** A recording of hosts' messages: {@code /api/v1/engine/host-recording}. */
@RestController
@RequestMapping("/api/v1/engine/host-recording")
class HostRecordingController {

    private static final int MINUTE = 60;

    private final HostRecordings recordings;
    private final FleetReader fleet;

    HostRecordingController(HostRecordings recordings, FleetReader fleet) {
        this.recordings = recordings;
        this.fleet = fleet;
    }

    /** The state of the recording. */
    @GetMapping
    HostRecordings.Status status() {
        return recordings.status();
    }

    /** Starts a recording of {@code hosts} for {@code seconds}. */
    @PostMapping
    HostRecordings.Status start(@RequestBody JsonNode body) {
        JsonObjectReader wanted = JsonObjectReader.of(body);
        List<String> names = wanted.texts("hosts");
        int seconds =
                wanted.number(
                        "seconds",
                        Math.min(MINUTE, recordings.mostSeconds()),
                        1,
                        recordings.mostSeconds());
        wanted.end();
        if (names.isEmpty() || names.size() > recordings.mostHosts()) {
            throw ApiException.badRequest(
                    "hosts names 1 to " + recordings.mostHosts() + " hosts, by name or id.");
        }
        Set<HostId> hosts = new LinkedHashSet<>();
        for (String name : names) {
            HostId host = Ids.host(fleet, name);
            if (fleet.host(host) == null) {
                throw ApiException.notFound("There is no host " + Ids.shortened(name) + ".");
            }
            hosts.add(host);
        }
        try {
            return recordings.start(hosts, seconds);
        } catch (HostRecordings.Refused e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    /** Ends the recording before its time. */
    @PostMapping("/stop")
    HostRecordings.Status stop(@RequestBody(required = false) @Nullable JsonNode body) {
        if (body != null) {
            JsonObjectReader.of(body).end();
        }
        try {
            return recordings.end();
        } catch (HostRecordings.Refused e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    /** The stopped recording. Reads are not audited by themselves, and this one is. */
    @GetMapping("/file")
    void download(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!recordings.isStopped()) {
            throw ApiException.notFound("There is no stopped recording.");
        }
        response.setContentType("application/octet-stream");
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader(
                HttpHeaders.CONTENT_DISPOSITION,
                "attachment; filename=\"stillwater-hosts.recording\"");
        if (request.getMethod().equals("HEAD")) {
            return; // it has no body, for which the file would be read
        }
        request.setAttribute(AuditedAs.READ_ATTRIBUTE, true);
        try {
            recordings.writeTo(response.getOutputStream());
        } catch (HostRecordings.Refused e) {
            throw ApiException.notFound(String.valueOf(e.getMessage()));
        }
    }
}
