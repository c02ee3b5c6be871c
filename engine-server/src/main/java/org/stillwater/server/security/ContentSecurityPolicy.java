package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.header.HeaderWriter;
import org.stillwater.server.http.RequestPath;

/**
 * Sends a content security policy with every answer: pages use nothing of other sites, run no
 * inline script, apply no inline style, and are shown in no frame. The page that comes with the
 * library for the interface's description has inline styles; it alone may. Stateless.
 */
final class ContentSecurityPolicy implements HeaderWriter {

    private static final String HEADER = "Content-Security-Policy";

    private static final String STRICT =
            "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
                    + " form-action 'self'; frame-ancestors 'none'";
    private static final String INLINE_STYLES = STRICT + "; style-src 'self' 'unsafe-inline'";
    private static final String DESCRIPTION = "/swagger-ui";

    @Override
    public void writeHeaders(HttpServletRequest request, HttpServletResponse response) {
        response.setHeader(
                HEADER, RequestPath.of(request).startsWith(DESCRIPTION) ? INLINE_STYLES : STRICT);
    }
}
