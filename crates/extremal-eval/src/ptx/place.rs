//! Where a thread finds its member, and what is around the instructions of a kernel.

use std::fmt::Write;

use super::body::{Body, Count, Integer, JumpLabel, PtxNumber};

/// The member of a thread, in a kernel under construction.
pub(super) struct MemberPlace<'b> {
    pub body: &'b Body,
    /// The way out.
    pub end: JumpLabel,
    /// Its number in the table,
    pub member: Integer<'b>,
    /// where the first column has its number, and how far it is to the next.
    first: Integer<'b>,
    pub stride: Integer<'b>,
}

impl<'b> MemberPlace<'b> {
    /// Begins a kernel: threads without members leave.
    pub fn begin(body: &'b Body) -> MemberPlace<'b> {
        let end = body.label();
        let [block, width, thread]: [Count<'b>; 3] =
            ["ctaid", "ntid", "tid"].map(|name| body.result("mov.u32", &[&format!("%{name}.x")]));
        let thread: Count<'b> = body.result("mad.lo.u32", &[&block, &width, &thread]);
        let threads = parameter_count(body, "threads");
        body.jump_if(thread.not_below(threads), end);
        let list = parameter(body, "list");
        let number = body.variable(thread);
        body.when(list.is_not(0u64), || {
            let place = list + thread.wide().shift_left(2u32);
            let listed: Count<'b> = body.result("ld.global.u32", &[&format!("[{place}]")]);
            body.set(number, listed);
        });
        let member = number.wide();
        let first = parameter(body, "table") + member.shift_left(3u32);
        let stride = parameter(body, "stride");
        MemberPlace { body, end, member, first, stride }
    }

    fn column(&self, at: usize) -> Integer<'b> {
        self.stride * (8 * at as u64) + self.first
    }

    /// Reads from a column.
    pub fn load(&self, column: usize) -> PtxNumber<'b> {
        self.body.result("ld.global.f64", &[&format!("[{}]", self.column(column))])
    }

    /// Writes to one.
    pub fn store(&self, column: usize, number: PtxNumber<'b>) {
        let place = self.column(column);
        self.body.line(format_args!("st.global.f64 [{place}], {number}"));
    }

    /// A number that is the same for all members.
    pub fn given(&self, at: usize) -> PtxNumber<'b> {
        self.body.result("ld.param.f64", &[&format!("[uniforms$+{}]", 8 * at)])
    }

    /// The text of the kernel, which is given so many numbers.
    pub fn finish(&self, name: &str, count: usize) -> String {
        self.body.place(self.end);
        self.body.line(format_args!("ret"));
        let mut text = self.body.declared_numbers();
        let _ = writeln!(
            text,
            ".visible .entry {name}(\n\t.param .u64 table$,\n\t.param .u64 stride$,\n\t.param .u64 list$,"
        );
        text.push_str("\t.param .u32 threads$,\n\t.param .u32 rounds$,\n\t.param .u64 counters$");
        if count > 0 {
            let _ = write!(text, ",\n\t.param .align 8 .b8 uniforms$[{}]", 8 * count);
        }
        let _ = writeln!(text, "\n)\n{}", self.body.finish());
        text
    }
}

/// Names of parameters end with a sign that names of kernels do not have: an assembler breaks down where both are the same.
pub(super) fn parameter<'b>(body: &'b Body, name: &str) -> Integer<'b> {
    body.result("ld.param.u64", &[&format!("[{name}$]")])
}

pub(super) fn parameter_count<'b>(body: &'b Body, name: &str) -> Count<'b> {
    body.result("ld.param.u32", &[&format!("[{name}$]")])
}
