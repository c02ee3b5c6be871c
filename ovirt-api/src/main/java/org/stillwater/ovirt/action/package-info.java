/**
 * What the REST API v4 changes: actions, and entities that are added, changed and removed, bound to
 * the commands of the engine. Requests come in and answers go out as values; nothing here knows a
 * web framework, and how entities look is not decided here.
 */
@NullMarked
package org.stillwater.ovirt.action;

import org.jspecify.annotations.NullMarked;
