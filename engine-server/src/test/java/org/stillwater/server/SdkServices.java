package org.stillwater.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.ovirt.engine.sdk4.Request;
import org.ovirt.engine.sdk4.internal.services.ServiceImpl;

/**
 * Requests the list of every service of the Java SDK, and one of its items: a service with 404 is
 * not served, any other failure is kept. Used by one thread.
 */
final class SdkServices {

    private static final int DEEPEST = 4;

    private final Set<String> reached = new TreeSet<>();
    private final List<String> wrong = new ArrayList<>();

    /** Paths that were read, with {@code {id}} for identities. */
    Set<String> reached() {
        return reached;
    }

    /** Served bodies that could not be read. */
    List<String> wrong() {
        return wrong;
    }

    /** Asks the services below one. */
    void walk(Object service, String path, int depth) throws Exception {
        for (Method method : services(service, 0)) {
            Object sub = called(method, service);
            if (sub instanceof ServiceImpl known) {
                String full = known.getPath();
                collection(sub, path + full.substring(full.lastIndexOf('/')), depth);
            }
        }
    }

    private void collection(Object service, String path, int depth) throws Exception {
        Object response = answer(service, "list", path);
        if (response == null) {
            return;
        }
        reached.add(path);
        List<?> items = items(response);
        List<Method> services = services(service, 1);
        if (items.isEmpty() || services.isEmpty()) {
            return;
        }
        Object last = items.getLast();
        Object id = called(last.getClass().getMethod("id"), last);
        Object one = called(services.getFirst(), service, id);
        if (answer(one, "get", path + "/{id}") != null) {
            reached.add(path + "/{id}");
        }
        if (depth < DEEPEST) {
            walk(one, path + "/{id}", depth + 1);
        }
    }

    private static List<Method> services(Object service, int parameters) {
        return Arrays.stream(service.getClass().getMethods())
                .filter(method -> method.getName().endsWith("Service"))
                .filter(method -> method.getParameterCount() == parameters)
                .toList();
    }

    /** The answer to a request; null for an unknown or unserved request. */
    private @Nullable Object answer(Object service, String name, String path) throws Exception {
        Method method;
        try {
            method = service.getClass().getMethod(name);
        } catch (NoSuchMethodException _) {
            return null;
        }
        try {
            return ((Request<?, ?>) called(method, service)).send();
        } catch (RuntimeException e) {
            String said = String.valueOf(e.getMessage());
            if (!said.contains("404")) {
                wrong.add(path + ": " + e);
            }
            return null;
        }
    }

    private static List<?> items(Object response) throws Exception {
        for (Method method : response.getClass().getInterfaces()[0].getMethods()) {
            if (method.getParameterCount() == 0 && method.getReturnType() == List.class) {
                Object items = method.invoke(response);
                return items == null ? List.of() : (List<?>) items;
            }
        }
        return List.of();
    }

    private static Object called(Method method, Object on, Object... with) throws Exception {
        try {
            return Objects.requireNonNull(method.invoke(on, with), method.getName());
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(method + " failed", e.getCause());
        }
    }
}
