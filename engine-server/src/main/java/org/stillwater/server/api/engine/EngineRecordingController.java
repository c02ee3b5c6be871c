package org.stillwater.server.api.engine;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.profile.EngineRecordings;
import org.stillwater.server.security.AuditedAs;
import tools.jackson.databind.JsonNode;

/** A recording of the flight recorder: {@code /api/v1/engine/recording}. */
@RestController
@RequestMapping("/api/v1/engine/recording")
class EngineRecordingController {

    private static final int MINUTE = 60;

    private final EngineRecordings recordings;

    EngineRecordingController(EngineRecordings recordings) {
        this.recordings = recordings;
    }

    /** The state of the recording. */
    @GetMapping
    EngineRecordings.Status status() {
        return recordings.status();
    }

    /** Starts a recording of {@code seconds}. */
    @PostMapping
    EngineRecordings.Status start(@RequestBody(required = false) @Nullable JsonNode body) {
        int seconds = Math.min(MINUTE, recordings.mostSeconds());
        if (body != null) {
            JsonObjectReader wanted = JsonObjectReader.of(body);
            seconds = wanted.number("seconds", seconds, 1, recordings.mostSeconds());
            wanted.end();
        }
        try {
            return recordings.start(seconds);
        } catch (EngineRecordings.Refused e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    /** Ends the recording before its time. */
    @PostMapping("/stop")
    EngineRecordings.Status stop(@RequestBody(required = false) @Nullable JsonNode body) {
        if (body != null) {
            JsonObjectReader.of(body).end();
        }
        try {
            return recordings.end();
        } catch (EngineRecordings.Refused e) {
            throw ApiException.conflict(String.valueOf(e.getMessage()));
        }
    }

    /** The stopped recording. Reads are not audited by themselves, and this one is. */
    @GetMapping("/file")
    void download(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (EngineRecordings.Copy copy = recordings.copy()) {
            request.setAttribute(AuditedAs.READ_ATTRIBUTE, true);
            response.setContentType("application/octet-stream");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            response.setHeader(
                    HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"stillwater.jfr\"");
            copy.writeTo(response.getOutputStream());
        } catch (EngineRecordings.Refused e) {
            throw ApiException.notFound(String.valueOf(e.getMessage()));
        }
    }
}
