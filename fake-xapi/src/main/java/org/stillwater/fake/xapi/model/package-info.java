/**
 * The XAPI datamodel as a table: classes, fields, messages, roles and value types, read from one
 * resource. Values, objects and the wire must not live here.
 */
@NullMarked
package org.stillwater.fake.xapi.model;

import org.jspecify.annotations.NullMarked;
