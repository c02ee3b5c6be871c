package org.stillwater.server.http;

import java.io.IOException;
import java.io.Writer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Tells of requests that the server itself refuses, before there is anything of the engine to
 * answer: as a fault on oVirt's interface, as a problem elsewhere. Its clients can do nothing with
 * the server's own pages. Thread-safe.
 */
final class PlainErrors extends ErrorReportValve {

    PlainErrors() {
        setShowReport(false);
        setShowServerInfo(false);
    }

    @Override
    protected void report(Request request, Response response, @Nullable Throwable cause) {
        int status = response.getStatus();
        if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        HttpStatus known = HttpStatus.resolve(status);
        String title = known == null ? "Error" : known.getReasonPhrase();
        String path = request.getRequestURI();
        boolean ovirt = path != null && path.startsWith("/ovirt-engine/");
        String detail = "The path, the query or a header is not written as HTTP has it.";
        String body =
                ovirt
                        ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?><fault><detail>"
                                + detail
                                + "</detail><reason>"
                                + title
                                + "</reason></fault>"
                        : "{\"status\":%d,\"title\":\"%s\",\"detail\":\"%s\"}"
                                .formatted(status, title, detail);
        try {
            response.setContentType(ovirt ? "application/xml" : "application/problem+json");
            response.setCharacterEncoding("UTF-8");
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(body);
                response.finishResponse();
            }
        } catch (IOException e) {
            getContainer().getLogger().debug("nobody is there to be told", e);
        }
    }
}
