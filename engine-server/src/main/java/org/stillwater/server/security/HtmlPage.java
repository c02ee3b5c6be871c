package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.util.HtmlUtils;

/** A page with a form, a message and the token against forged requests. Immutable. */
final class HtmlPage {

    /** A form that was sent in the address. */
    static final String IN_QUERY =
            "The password was in the address, where logs keep it. Change it, and use this form.";

    private final String html;

    private HtmlPage(String html) {
        this.html = html;
    }

    /** The page in this file of the package. */
    static HtmlPage of(String file) throws IOException {
        try (InputStream html = HtmlPage.class.getResourceAsStream(file)) {
            if (html == null) {
                throw new IOException(file + " is not where it belongs");
            }
            return new HtmlPage(new String(html.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** The page with another text instead of one of its own, which is HTML. */
    HtmlPage with(String what, String text) {
        return new HtmlPage(html.replace(what, text));
    }

    ResponseEntity<String> filled(HttpServletRequest request, HttpStatus status, String message) {
        CsrfToken token = (CsrfToken) request.getAttribute(CsrfToken.class.getName());
        String filled =
                html.replace("{hidden}", message.isEmpty() ? "hidden" : "")
                        .replace(
                                "{token}",
                                token == null ? "" : HtmlUtils.htmlEscape(token.getToken()))
                        .replace("{message}", HtmlUtils.htmlEscape(message));
        return ResponseEntity.status(status)
                .contentType(new MediaType(MediaType.TEXT_HTML, StandardCharsets.UTF_8))
                .cacheControl(CacheControl.noStore())
                .body(filled);
    }
}
