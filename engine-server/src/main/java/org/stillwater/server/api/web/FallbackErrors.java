package org.stillwater.server.api.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.http.ErrorForm;
import org.stillwater.server.http.RequestPath;
import org.stillwater.server.security.AuditedAs;

/**
 * Errors that arise before or after the controllers, in the form of the interface's other errors.
 */
@RestController
class FallbackErrors implements ErrorController {

    @AuditedAs({})
    @RequestMapping("${server.error.path:${error.path:/error}}")
    ResponseEntity<String> error(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        HttpStatus status =
                code instanceof Integer number ? HttpStatus.resolve(number) : HttpStatus.NOT_FOUND;
        HttpStatus known = status == null ? HttpStatus.INTERNAL_SERVER_ERROR : status;
        if (request.getAttribute(RequestDispatcher.ERROR_EXCEPTION)
                instanceof InvalidParameterException) {
            known = HttpStatus.BAD_REQUEST;
        }
        Object asked = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        ErrorForm form =
                ErrorForm.of(request, asked instanceof String path ? RequestPath.of(path) : null);
        String text = form.text(known);
        return text.isEmpty()
                ? ResponseEntity.status(known).build()
                : ResponseEntity.status(known)
                        .header(HttpHeaders.CONTENT_TYPE, form.type())
                        .body(text);
    }
}
