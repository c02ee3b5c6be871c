package org.stillwater.server.http;

import java.io.IOException;
import java.io.Writer;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Answers requests that the server itself refuses before the engine's code runs: as a fault on
 * oVirt's interface, as a failed login where its clients log in, as a problem elsewhere. Clients
 * can do nothing with the server's own pages. Thread-safe.
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
        ErrorForm form = ErrorForm.of(request, path(request));
        try {
            response.setContentType(form.type());
            response.setCharacterEncoding("UTF-8");
            Writer writer = response.getReporter();
            if (writer != null) {
                writer.write(form.text(status, title, detail(status)));
                response.finishResponse();
            }
        } catch (IOException e) {
            getContainer().getLogger().debug("the client is gone", e);
        }
    }

    /** The reason of a refusal, as far as its status shows it. */
    private static String detail(int status) {
        return switch (status) {
            case 501 -> "The engine does not implement the method or the transfer coding.";
            case 505 -> "The engine speaks HTTP/1.0, HTTP/1.1 and HTTP/2.";
            default -> "The path, the query or a header does not follow HTTP.";
        };
    }

    /** The path, also of an address that is too long to be one. */
    private static @Nullable String path(Request request) {
        String path = request.getRequestURI();
        return path != null
                ? RequestPath.of(path)
                : request.getAttribute(PhrasedProcessor.PATH) instanceof String unread
                        ? unread
                        : null;
    }
}
