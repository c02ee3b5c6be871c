package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.security.web.csrf.CsrfTokenRequestAttributeHandler;
import org.springframework.security.web.csrf.CsrfTokenRequestHandler;
import org.springframework.security.web.csrf.XorCsrfTokenRequestAttributeHandler;
import org.stillwater.server.http.RequestPath;

/**
 * Tokens against forged requests: pages get one by a cookie and send it back in a header, the page
 * to log in has it in its form. Other answers set no cookie: clients of the interfaces have no use
 * for it, and one of oVirt's takes the first cookie that it sees. Stateless.
 */
final class PageTokens implements CsrfTokenRequestHandler {

    private static final Set<String> PAGES = Set.of("/", "/index.html", "/login");

    private final CsrfTokenRequestHandler plain = new CsrfTokenRequestAttributeHandler();
    private final CsrfTokenRequestHandler masked = new XorCsrfTokenRequestAttributeHandler();

    @Override
    public void handle(
            HttpServletRequest request, HttpServletResponse response, Supplier<CsrfToken> token) {
        masked.handle(request, response, token);
        if (PAGES.contains(RequestPath.of(request))) {
            CsrfToken _ = token.get();
        }
    }

    @Override
    public @Nullable String resolveCsrfTokenValue(HttpServletRequest request, CsrfToken token) {
        return (request.getHeader(token.getHeaderName()) != null ? plain : masked)
                .resolveCsrfTokenValue(request, token);
    }
}
