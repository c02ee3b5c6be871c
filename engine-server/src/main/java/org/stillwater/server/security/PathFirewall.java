package org.stillwater.server.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.stillwater.server.http.RequestPath;

/**
 * Refuses paths that different parts of a server could read differently, and names, values and
 * headers with control characters. Matrix parameters pass under the path of oVirt's interface, and
 * only there: its clients send them. Every method passes: the interface of its path answers 405
 * with the methods that the path has, access is decided for all others than those that read as for
 * a change, and the server itself refuses TRACE. Thread-safe.
 */
final class PathFirewall implements HttpFirewall {

    private static final String OVIRT = "/ovirt-engine/";

    private final StrictHttpFirewall strict = new StrictHttpFirewall();
    private final StrictHttpFirewall lenient = new StrictHttpFirewall();

    PathFirewall() {
        strict.setUnsafeAllowAnyHttpMethod(true);
        lenient.setUnsafeAllowAnyHttpMethod(true);
        lenient.setAllowSemicolon(true);
    }

    @Override
    public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
        String problem = RequestPath.problem(request);
        if (problem != null) {
            throw new RequestRejectedException("The path is refused: " + problem);
        }
        String path = request.getRequestURI();
        if (!path.startsWith(OVIRT)) {
            return strict.getFirewalledRequest(request);
        }
        return lenient.getFirewalledRequest(request);
    }

    @Override
    public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
        return strict.getFirewalledResponse(response);
    }
}
